import { describeMachine, type Machine } from './describeMachine.ts'
import { type Device, devices } from './device.ts'
import { tryDevice } from './tryDevice.ts'
import type { Adapter } from './vulkanLog.ts'

export type DeviceVerdict = {
  readonly device: Device
  readonly isAvailable: boolean
  /** Reason why it is unavailable; null if it is available. */
  readonly reason: string | null
  /** Reason why it does not compute in float16; null if it does, natively or by conversion, as CPUs do. */
  readonly float16Reason: string | null
  /** The GPU behind it, if it is available and Vulkan's loader names it; otherwise null. */
  readonly adapter: Adapter | null
}

export type DeviceReport = {
  readonly machine: Machine
  readonly devices: readonly DeviceVerdict[]
  /** The device that `auto` selects. */
  readonly chosen: Device
  /** RL Swarm's pools: models of 1.5B parameters and more for 40 GB of the chosen device's memory and up. */
  readonly pool: 'small' | 'large'
}

/** Memory from which a machine takes the large pool (RL Swarm's constant). */
const LARGE_POOL_BYTES = 40e9

/** Tries every device, and reports which one `auto` would select and why the others are unavailable. */
export async function reportDevices(): Promise<DeviceReport> {
  const machine = await describeMachine()
  const verdicts: DeviceVerdict[] = []
  // In sequence: two concurrent first uses of one GPU slow each other down.
  for (const device of devices) {
    const { reason, adapter } = await tryDevice(device)
    const float16Reason = reason ?? (await tryDevice(device, 'float16')).reason
    verdicts.push({ device, isAvailable: reason === null, reason, float16Reason, adapter })
  }
  return { machine, devices: verdicts, ...choose(machine, verdicts) }
}

/**
 * CUDA before WebGPU before the CPU. WebGPU only on a GPU, not on an adapter in software, which is slower than the CPU itself: a card whose driver
 * Vulkan does not find is listed all the same. A GPU that Vulkan names counts without a listed card: `nvidia-smi` may be missing or slow.
 */
export function choose(
  { gpus, platform, memoryBytes }: Machine,
  verdicts: readonly DeviceVerdict[],
): Pick<DeviceReport, 'chosen' | 'pool'> {
  const works = (name: Device) => verdicts.some(({ device, isAvailable }) => device === name && isAvailable)
  const adapter = verdicts.find(({ device }) => device === 'webgpu')?.adapter ?? null
  // Not every loader names the adapter.
  const hasGpu = adapter === null ? gpus.length > 0 || platform === 'darwin-arm64' : !adapter.isSoftware
  const chosen = works('cuda') ? 'cuda' : works('webgpu') && hasGpu ? 'webgpu' : 'cpu'
  const isShared = chosen === 'cpu' || platform === 'darwin-arm64'
  const memory = isShared ? memoryBytes : (gpuMemory({ gpus, platform }, chosen) ?? 0)
  return { chosen, pool: memory >= LARGE_POOL_BYTES ? 'large' : 'small' }
}

/**
 * Memory of the GPU that a device runs on. Of several it is the largest, since a driver's order does not tell which one a process gets.
 *
 * @returns null for the CPU, for Apple's GPUs, which share the machine's memory, and if the system does not report it.
 */
export function gpuMemory({ gpus, platform }: Pick<Machine, 'gpus' | 'platform'>, device: Device): number | null {
  if (device === 'cpu' || platform === 'darwin-arm64') return null
  return Math.max(0, ...gpus.map(gpu => gpu.memoryBytes ?? 0)) || null
}
