import type { DeviceTensor } from '#engine/devices/deviceTensor.ts'

/** A task's tensors on a device. */
export interface LiveTensors {
  add<T extends DeviceTensor>(tensor: T): T
  free(...tensors: readonly DeviceTensor[]): void
}

/** Runs a task, and frees all of its tensors on the device, even if it fails. */
export async function withLiveTensors<T>(work: (live: LiveTensors) => Promise<T>): Promise<T> {
  const live = new Set<DeviceTensor>()
  try {
    return await work({
      add(tensor) {
        live.add(tensor)
        return tensor
      },
      free(...tensors) {
        for (const tensor of tensors) {
          tensor.dispose()
          live.delete(tensor)
        }
      },
    })
  } finally {
    for (const tensor of live) tensor.dispose()
  }
}
