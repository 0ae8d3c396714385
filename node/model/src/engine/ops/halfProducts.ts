import { onnxTypes } from '../dtypes.ts'
import type { Emitter } from '../opRow.ts'
import { chain } from './integer.ts'

/** Products over at most this many numbers are summed in float16. */
const BLOCK = 256
/** Blocks are a multiple of this: kernels read so many numbers at a time. */
const VECTOR = 4

/**
 * Length of the blocks that a float16 product over `inner` numbers is divided into; null if it is not divided: it is short, or no length of at least
 * a quarter of `BLOCK` divides it.
 */
export function blockOf(inner: number): number | null {
  if (inner <= BLOCK) return null
  for (let block = BLOCK; block >= BLOCK / 4; block -= VECTOR) if (inner % block === 0) return block
  return null
}

/**
 * Emits rows f16 [R, K] by a matrix f16 [N, K], or [K, N], as f16 [R, N] that is summed in float32 over blocks of K. WebGPU's kernels sum in the
 * type of their output: in float16 a sum of thousands loses 5 bits.
 *
 * One product of K / `block` pairs of matrices, so a constant matrix is rearranged once, when the session is made.
 */
export function emitInBlocks(
  e: Emitter,
  { rows, matrix, transB, output }: { rows: string; matrix: string; transB: boolean; output: string },
  [inner, columns, block]: readonly [inner: number, columns: number, block: number],
): void {
  const step = chain(e)
  const count = inner / block
  const left = step('Transpose', [step('Reshape', [rows, e.integers([-1, count, block])])], { perm: [1, 0, 2] })
  const upright = transB ? step('Transpose', [matrix], { perm: [1, 0] }) : matrix
  const right = step('Reshape', [upright, e.integers([count, block, columns])])
  const parts = step('Cast', [step('MatMul', [left, right])], { to: onnxTypes.f32 }) // [count, R, N]
  const sum = step('ReduceSum', [parts, e.integers([0])], { keepdims: 0 })
  e.node('Cast', [sum], [output], { to: onnxTypes.f16 })
}
