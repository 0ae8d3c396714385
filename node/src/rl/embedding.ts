import { addTo, type GradientSums } from './gradientPass.ts'

/**
 * Rows of an embedding table.
 *
 * @param ids - i64 [tokens].
 * @param x - [tokens, hidden], overwritten.
 */
export function embed(table: Float32Array, ids: BigInt64Array, x: Float32Array): void {
  const width = x.length / ids.length
  for (const [row, id] of ids.entries()) {
    const from = Number(id) * width
    x.set(table.subarray(from, from + width), row * width)
  }
}

/**
 * Adds the gradient of an embedding table to its sum: each token's row gets the gradients of the positions that hold it, added
 * in their order.
 *
 * @param dx - [tokens, hidden].
 */
export function addEmbeddingGradient(
  sums: GradientSums,
  name: string,
  elements: number,
  ids: BigInt64Array,
  dx: Float32Array,
): void {
  const gradient = new Float32Array(elements)
  const width = dx.length / ids.length
  for (const [row, id] of ids.entries()) {
    const [to, from] = [Number(id) * width, row * width]
    for (let i = 0; i < width; i++) gradient[to + i] = (gradient[to + i] as number) + (dx[from + i] as number)
  }
  addTo(sums, name, gradient)
}
