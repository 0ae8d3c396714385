import ort from 'onnxruntime-node'
import { runtimeTypes } from '../dtypes.ts'
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

/** The first rows of a tensor, where they lie: they live as long as the tensor, which owns them. */
export function firstRows({ dtype, held, shape }: DeviceTensor, rows: number): DeviceTensor {
  const dims = [rows, ...shape.slice(1)]
  const options = { dataType: runtimeTypes[dtype] as ort.Tensor.GpuBufferDataTypes, dims }
  const view = ort.Tensor.fromGpuBuffer(held.gpuBuffer as ort.Tensor.GpuBufferType, options)
  return { dtype, held: view as unknown as ort.Tensor, shape: dims, dispose: () => {} }
}
