import type { DType } from './graph.ts'

/** The numbers that ONNX gives to tensor types (TensorProto.DataType). */
export const onnxTypes: Record<DType, number> = { f32: 1, i32: 6, i64: 7, bool: 9, f64: 11 }

/** The names that ONNX Runtime gives to them. */
export const runtimeTypes = { f32: 'float32', i32: 'int32', i64: 'int64', bool: 'bool', f64: 'float64' } as const

/** The array that holds each. */
export interface TensorArrays {
  f32: Float32Array
  f64: Float64Array
  i64: BigInt64Array
  i32: Int32Array
  bool: Uint8Array
}
