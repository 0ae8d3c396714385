import type ort from 'onnxruntime-node'
import type { DType } from '../value.ts'

/** A tensor in the memory of a device, which sessions on that device read where it lies. Its numbers cannot be read here. */
export interface DeviceTensor {
  readonly dtype: DType
  readonly shape: readonly number[]
  /** The runtime's own handle. */
  readonly held: ort.Tensor
  /** Frees it. Once more does nothing. */
  dispose(): void
}

export function deviceTensor(dtype: DType, held: ort.Tensor): DeviceTensor {
  let isFreed = false
  return {
    ...{ dtype, held, shape: held.dims },
    dispose() {
      if (!isFreed) held.dispose()
      isFreed = true
    },
  }
}

export const isOnDevice = (tensor: object): tensor is DeviceTensor => 'held' in tensor
