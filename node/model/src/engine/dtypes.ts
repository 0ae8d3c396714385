import type { DType } from './value.ts'

/** ONNX's numbers of tensor types (TensorProto.DataType). */
export const onnxTypes: Record<DType, number> = {
  f32: 1,
  u8: 2,
  i8: 3,
  i32: 6,
  i64: 7,
  bool: 9,
  f16: 10,
  f64: 11,
  bf16: 16,
}

/** ONNX Runtime's names of them. */
export const runtimeTypes = {
  f32: 'float32',
  u8: 'uint8',
  i8: 'int8',
  i32: 'int32',
  i64: 'int64',
  bool: 'bool',
  f16: 'float16',
  f64: 'float64',
  bf16: 'float16', // constants only: the runtime neither accepts nor returns bfloat16
} as const

/** Bytes of one element. */
export const elementBytes: Record<DType, number> = {
  f32: 4,
  u8: 1,
  i8: 1,
  i32: 4,
  i64: 8,
  bool: 1,
  f16: 2,
  f64: 8,
  bf16: 2,
}

/** The array that holds each. */
export interface TensorArrays {
  f32: Float32Array
  f64: Float64Array
  i64: BigInt64Array
  i32: Int32Array
  bool: Uint8Array
  u8: Uint8Array
  i8: Int8Array
  /** Bits of half-precision numbers. */
  f16: Uint16Array
  bf16: Uint16Array
}
