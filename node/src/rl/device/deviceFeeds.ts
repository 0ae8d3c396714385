import type { Device } from '#engine/devices/device.ts'
import type { DeviceTensor } from '#engine/devices/deviceTensor.ts'
import { toDevice } from '#engine/devices/toDevice.ts'
import type { Feed, Session } from '#engine/session.ts'
import { type LayeredFeeds, nameIn } from '../layered/layeredFeeds.ts'
import type { LayerModels } from '../layered/layerModels.ts'

/** Weights and factors in a device's memory: what is frozen for as long as the pass lives, what is trained for one part of a batch. */
export interface DeviceFeeds {
  ofLayer(models: LayerModels, layer: number): Promise<Record<string, Feed>>
  ofHead(session: Session): Promise<Record<string, Feed>>
  /** Frees copies of what is trained: it changes between two parts. */
  endPart(): void
  dispose(): void
}

/** @param trained - which tensors are trained. */
export function deviceFeeds(
  device: Device,
  { tensors, ofHead }: LayeredFeeds,
  trained: (name: string) => boolean,
): DeviceFeeds {
  const copies = new Map<string, DeviceTensor>()

  async function copyOf(name: string): Promise<Feed> {
    const known = copies.get(name)
    if (known) return known
    const x = tensors.get(name)
    if (!x) throw new RangeError(`no tensor ${name}`)
    if (x.dtype === 'i8') return x // the runtime's binding keeps none on a device
    const copy = (await toDevice(device, { x })).x as DeviceTensor
    copies.set(name, copy)
    return copy
  }

  async function copiesOf(names: Iterable<readonly [input: string, own: string]>): Promise<Record<string, Feed>> {
    const feeds: Record<string, Feed> = {}
    for (const [input, own] of names) feeds[input] = await copyOf(own)
    return feeds
  }

  function free(isToGo: (name: string) => boolean): void {
    for (const [name, copy] of copies) {
      if (!isToGo(name)) continue
      copy.dispose()
      copies.delete(name)
    }
  }

  return {
    ofLayer: (models, layer) => copiesOf([...models.tensors.keys()].map(name => [name, nameIn(name, layer)] as const)),
    ofHead: session => copiesOf(Object.keys(ofHead(session)).map(name => [name, name] as const)),
    endPart: () => free(trained),
    dispose: () => free(() => true),
  }
}
