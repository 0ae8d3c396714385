import { once } from '#base/once.ts'
import { Graph } from '../graph.ts'
import { encodeModel } from '../onnxModel.ts'
import { createSession, type Session, type Tensor } from '../session.ts'
import { cast } from '../tensor.ts'
import type { DType } from '../value.ts'
import type { Device } from './device.ts'
import type { DeviceTensor } from './deviceTensor.ts'

const sessions = new Map<string, Promise<Session>>()

/** Copies tensors to a device, for runs that use the same inputs repeatedly. The caller disposes of the copies; if one fails, none is left. */
export async function toDevice(
  device: Device,
  tensors: Readonly<Record<string, Tensor>>,
): Promise<Record<string, DeviceTensor>> {
  const copies: Record<string, DeviceTensor> = {}
  try {
    for (const [name, x] of Object.entries(tensors)) {
      const { kept } = await (await copying(device, x, true)).runKeeping({ x }, ['y'])
      copies[name] = kept.y as DeviceTensor
    }
    return copies
  } catch (cause) {
    for (const copy of Object.values(copies)) copy.dispose()
    throw cause
  }
}

/** Copies a tensor from a device's memory. */
export async function fromDevice(device: Device, x: DeviceTensor): Promise<Tensor> {
  return (await (await copying(device, x, false)).run({ x })).y as Tensor
}

/** Rounds an f32 tensor on a device to float16, which this process can neither send nor receive. */
export async function inFloat16(device: Device, x: DeviceTensor): Promise<DeviceTensor> {
  return (await (await copying(device, x, true, 'f16')).runKeeping({ x }, ['y'])).kept.y as DeviceTensor
}

/** The identity program for tensors of a rank and type, built once. */
function copying(
  device: Device,
  { dtype, shape }: { dtype: DType; shape: readonly number[] },
  isKept: boolean,
  as = dtype,
): Promise<Session> {
  const key = `${device} ${dtype} ${as} ${shape.length} ${isKept}`
  return once(sessions, key, () => {
    const lengths = shape.map((_, axis) => `D${axis}`)
    const y = cast(new Graph().input('x', dtype, lengths), as)
    return createSession(encodeModel({ y }, [], device, isKept ? ['y'] : []), { threads: 1 })
  })
}
