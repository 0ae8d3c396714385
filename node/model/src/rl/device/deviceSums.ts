import type { Device } from '#engine/devices/device.ts'
import type { DeviceTensor } from '#engine/devices/deviceTensor.ts'
import { type RankPrograms, rankPrograms } from '#engine/devices/rankPrograms.ts'
import { fromDevice } from '#engine/devices/toDevice.ts'
import { sumModel } from '../optimizers/adamWGraph.ts'
import type { GradientSums } from '../passes/gradientPass.ts'

const adding = new Map<Device, RankPrograms>()

/** Adds a gradient to its sum on a device; the first is kept as it is. The sum before and the gradient are freed; if it fails, the gradient. */
export async function addThere(
  device: Device,
  sums: GradientSums<DeviceTensor>,
  name: string,
  part: DeviceTensor,
): Promise<void> {
  const sum = sums.get(name)
  if (!sum) {
    sums.set(name, part)
    return
  }
  const programs = adding.get(device) ?? rankPrograms(rank => sumModel(rank, device))
  adding.set(device, programs)
  try {
    const { y } = await programs.run(part.shape.length, { a: sum, b: part })
    sums.set(name, y as DeviceTensor)
    sum.dispose()
  } finally {
    part.dispose()
  }
}

/** Adds gradients, by name, to their sums. If one fails, those that were not added are freed. */
export async function addAllThere(
  device: Device,
  sums: GradientSums<DeviceTensor>,
  gradients: readonly (readonly [name: string, gradient: DeviceTensor])[],
): Promise<void> {
  const waiting = [...gradients]
  try {
    for (let next = waiting.shift(); next; next = waiting.shift()) await addThere(device, sums, ...next)
  } finally {
    for (const [, gradient] of waiting) gradient.dispose()
  }
}

/** Sums of gradients in this process's memory. */
export async function readSums(
  device: Device,
  sums: ReadonlyMap<string, DeviceTensor>,
): Promise<GradientSums<Float32Array>> {
  const read: GradientSums = new Map()
  for (const [name, sum] of sums) read.set(name, (await fromDevice(device, sum)).data as Float32Array)
  return read
}
