import { type Device, describeMachine, freeMemory, gpuMemory } from '#model/devices.ts'

/** The memory that a peer may take. */
export interface MachineMemory {
  readonly freeBytes: number
  /** Memory of the GPU that models run on; null if they run on the CPU, if it is the machine's own, or if it is unknown. */
  readonly gpuBytes: number | null
  /** Why the memory of the GPU that models run on is unknown: models are then chosen by the machine's. */
  readonly gpuUnknown?: string
}

/** The memory that a peer takes. */
export interface NeededMemory {
  /** In the machine, which also keeps a copy of what runs on a GPU. */
  readonly bytes: number
  /** On a GPU, if it runs on one. */
  readonly gpuBytes: number
}

/** Reads the memory of this machine, and of the GPU behind a device. */
export async function readMachineMemory(device: Device): Promise<MachineMemory> {
  const machine = await describeMachine()
  const gpuBytes = gpuMemory(machine, device)
  const gpuUnknown = whyUnknown(machine, device)
  return {
    ...{ freeBytes: Math.min(freeMemory(), machine.memoryBytes), gpuBytes },
    ...(gpuUnknown !== null && { gpuUnknown }),
  }
}

/** Why the memory of a device's GPU is unknown; null if it is known, or the machine's own. */
export function whyUnknown(
  { gpus, platform }: Pick<Awaited<ReturnType<typeof describeMachine>>, 'gpus' | 'platform'>,
  device: Device,
): string | null {
  if (device === 'cpu' || platform === 'darwin-arm64' || gpuMemory({ gpus, platform }, device) !== null) return null
  return gpus.length === 0 ? 'nvidia-smi does not answer' : `the system does not report that of ${gpus[0]?.name}`
}

/** Which memory is too small, the machine's first; null if both are large enough. */
export function shortMemory(needed: NeededMemory, { freeBytes, gpuBytes }: MachineMemory): 'machine' | 'gpu' | null {
  if (needed.bytes > freeBytes) return 'machine'
  return gpuBytes !== null && needed.gpuBytes > gpuBytes ? 'gpu' : null
}

/** Compares both memories: `7.5 GiB, 9.0 GiB are free; on the GPU 7.5 GiB of 6.0 GiB, which is too little`. */
export function describeMemory(
  { bytes, gpuBytes: onGpu }: NeededMemory,
  { freeBytes, gpuBytes, gpuUnknown }: MachineMemory,
): string {
  const verdict = (needed: number, has: number) => (needed > has ? ', which is too little' : '')
  const machine = `${gibibytes(bytes)}, ${gibibytes(freeBytes)} are free${verdict(bytes, freeBytes)}`
  if (gpuUnknown !== undefined && onGpu > 0)
    return `${machine}; on the GPU ${gibibytes(onGpu)}, and ${unknownMemory(gpuUnknown)}`
  if (gpuBytes === null || onGpu === 0) return machine
  return `${machine}; on the GPU ${gibibytes(onGpu)} of ${gibibytes(gpuBytes)}${verdict(onGpu, gpuBytes)}`
}

/** `9.0 GiB free, 24.0 GiB on the GPU`. */
export function describeFree({ freeBytes, gpuBytes, gpuUnknown }: MachineMemory, of = ''): string {
  const machine = `${gibibytes(freeBytes)}${of} free`
  if (gpuUnknown !== undefined) return `${machine}, and ${unknownMemory(gpuUnknown)}`
  return `${machine}${gpuBytes === null ? '' : `, ${gibibytes(gpuBytes)} on the GPU`}`
}

const unknownMemory = (why: string) =>
  `the memory of the GPU is unknown: ${why} (if it is too small, --device cpu runs models in the machine's)`

const GIB = 2 ** 30
export const gibibytes = (bytes: number) => `${(bytes / GIB).toFixed(1)} GiB`
