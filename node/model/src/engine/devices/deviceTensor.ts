import ort from 'onnxruntime-node'
import { runtimeTypes } from '../dtypes.ts'
import type { DType } from '../value.ts'

/** A tensor in a device's memory. Sessions on that device read it in place; this process cannot. */
export interface DeviceTensor {
  readonly dtype: DType
  readonly shape: readonly number[]
  /** The runtime's own handle. */
  readonly held: ort.Tensor
  /** Frees it. Further calls do nothing. */
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

/** A view of the first rows of a tensor: valid as long as the tensor, which owns the memory. */
export function firstRows({ dtype, held, shape }: DeviceTensor, rows: number): DeviceTensor {
  const dims = [rows, ...shape.slice(1)]
  const options = { dataType: runtimeTypes[dtype] as ort.Tensor.GpuBufferDataTypes, dims }
  const view = ort.Tensor.fromGpuBuffer(held.gpuBuffer as ort.Tensor.GpuBufferType, options)
  return { dtype, held: view as unknown as ort.Tensor, shape: dims, dispose: () => {} }
}
