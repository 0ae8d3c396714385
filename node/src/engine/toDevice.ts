import type { Device } from './device.ts'
import type { DeviceTensor } from './deviceTensor.ts'
import { Graph } from './graph.ts'
import { encodeModel } from './onnxModel.ts'
import { createSession, type Session, type Tensor } from './session.ts'

const sessions = new Map<string, Promise<Session>>()

/** Copies tensors of float32 into a device's memory, for runs that are fed the same numbers more than once. The caller disposes of the copies. */
export async function toDevice(
  device: Device,
  tensors: Readonly<Record<string, Tensor<'f32'>>>,
): Promise<Record<string, DeviceTensor>> {
  const copies: Record<string, DeviceTensor> = {}
  for (const [name, x] of Object.entries(tensors)) {
    const { kept } = await (await copying(device, x.shape.length)).runKeeping({ x }, ['y'])
    copies[name] = kept.y as DeviceTensor
  }
  return copies
}

/** A program that gives what it is fed, for tensors of a rank. It is built once. */
function copying(device: Device, rank: number): Promise<Session> {
  const key = `${device} ${rank}`
  const known = sessions.get(key)
  if (known) return known
  const lengths = Array.from({ length: rank }, (_, axis) => `D${axis}`)
  const model = encodeModel({ y: new Graph().input('x', 'f32', lengths) }, [], device, ['y'])
  const session = createSession(model, { threads: 1 })
  sessions.set(key, session)
  return session
}
