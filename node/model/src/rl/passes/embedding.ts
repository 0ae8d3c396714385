import type { Tensor } from '#engine/session.ts'
import { addTo, type GradientSums } from './gradientPass.ts'

/**
 * Rows of the embedding table: `model.embed_tokens.weight`, or `.rows` of 8-bit integers and their `.scale`.
 *
 * @param ids - i64 [tokens].
 * @param x - [tokens, hidden], overwritten.
 */
export function embed(tensors: ReadonlyMap<string, Tensor>, ids: BigInt64Array, x: Float32Array): void {
  const data = (name: string) => tensors.get(`model.embed_tokens.${name}`)?.data as Float32Array | undefined
  const [codes, scales] = [data('rows'), data('scale')]
  const table = codes ?? (data('weight') as Float32Array)
  const width = x.length / ids.length
  for (const [row, id] of ids.entries()) {
    const [to, from] = [row * width, Number(id) * width]
    x.set(table.subarray(from, from + width), to)
    if (!scales) continue
    const scale = scales[Number(id)] as number
    for (let i = to; i < to + width; i++) x[i] = (x[i] as number) * scale
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
