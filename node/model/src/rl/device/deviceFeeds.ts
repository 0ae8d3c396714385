import type { Device } from '#engine/devices/device.ts'
import type { DeviceTensor } from '#engine/devices/deviceTensor.ts'
import { inFloat16, toDevice } from '#engine/devices/toDevice.ts'
import { type Feed, type Session, type Tensor, tensor } from '#engine/session.ts'
import type { DType } from '#engine/value.ts'
import { type LayeredFeeds, nameIn } from '../layered/layeredFeeds.ts'
import type { LayerModels } from '../layered/layerModels.ts'
import type { ScoredPolicy } from '../passes/gradientPass.ts'

/** The current state of a trained tensor on the device. The caller must not free it. */
export type ResidentWeight = (name: string) => Promise<DeviceTensor>

/** Weights and factors in a device's memory: frozen ones as long as the pass exists, trained ones for one part of a batch unless they are resident. */
export interface DeviceFeeds {
  of(name: string): Promise<Feed>
  /** @param policy - for `base` the adapter adds zero. */
  ofLayer(models: LayerModels, layer: number, policy?: ScoredPolicy): Promise<Record<string, Feed>>
  ofHead(session: Session): Promise<Record<string, Feed>>
  /** Frees copies of trained tensors, which change between two parts. */
  endPart(): void
  dispose(): void
}

export interface DeviceFeedsOptions {
  /** Whether a tensor is trained. */
  readonly trained: (name: string) => boolean
  readonly resident: ResidentWeight | undefined
}

export function deviceFeeds(
  device: Device,
  { tensors, ofHead }: LayeredFeeds,
  { trained, resident }: DeviceFeedsOptions,
): DeviceFeeds {
  const copies = new Map<string, DeviceTensor>()

  async function copied(name: string, x: Tensor): Promise<DeviceTensor> {
    const copy = (await toDevice(device, { x })).x as DeviceTensor
    copies.set(name, copy)
    return copy
  }

  /** @param as - type of the program's input: u8 for codes of bytes, since the runtime's binding keeps no i8 on a device, and f16 for matrices. */
  async function copyOf(name: string, as: DType = 'f32'): Promise<Feed> {
    if (resident && trained(name)) return resident(name)
    const known = copies.get(name)
    if (known) return known
    const x = tensors.get(name)
    if (!x) throw new RangeError(`no tensor ${name}`)
    if (as === 'i8') return x // looked up by rows on the CPU
    if (x.dtype === 'i8') return copied(name, unsigned(x as Tensor<'i8'>))
    const copy = await copied(name, x)
    if (as !== 'f16') return copy
    const half = await inFloat16(device, copy)
    copy.dispose()
    copies.set(name, half)
    return half
  }

  async function zeros(name: string): Promise<Feed> {
    const { shape, data } = tensors.get(name) ?? { shape: [], data: [] }
    const key = `zeros [${shape}]`
    return copies.get(key) ?? copied(key, tensor('f32', new Float32Array(data.length), shape))
  }

  function free(isToGo: (name: string) => boolean): void {
    for (const [name, copy] of copies) {
      if (!isToGo(name)) continue
      copy.dispose()
      copies.delete(name)
    }
  }

  async function ofLayer(models: LayerModels, layer: number, policy: ScoredPolicy = 'trained') {
    const feeds: Record<string, Feed> = {}
    for (const [input, { dtype }] of models.tensors) {
      const name = nameIn(input, layer)
      const isZero = policy === 'base' && name.endsWith('.lora_B.weight')
      feeds[input] = await (isZero ? zeros(name) : copyOf(name, dtype))
    }
    return feeds
  }

  return {
    of: copyOf,
    ofLayer,
    async ofHead(session) {
      const feeds: Record<string, Feed> = {}
      for (const name of Object.keys(ofHead(session)))
        feeds[name] = await copyOf(name, session.model.inputs.get(name)?.dtype)
      return feeds
    },
    endPart: () => free(trained),
    dispose: () => free(() => true),
  }
}

/** Codes that are larger by 128. */
const unsigned = ({ data, shape }: Tensor<'i8'>) =>
  tensor(
    'u8',
    Uint8Array.from(data, code => code + 128),
    shape,
  )
