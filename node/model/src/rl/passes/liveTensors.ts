import type { DeviceTensor } from '#engine/devices/deviceTensor.ts'

/** Tensors of one piece of work that are on a device. */
export interface LiveTensors {
  add<T extends DeviceTensor>(tensor: T): T
  free(...tensors: readonly DeviceTensor[]): void
}

/** Does some work. None of its tensors stays on the device, whether it fails or not. */
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
