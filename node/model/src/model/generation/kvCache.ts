import { type Tensor, tensor } from '#engine/session.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { ModelInputError } from '../modelErrors.ts'
import type { RowCache } from './rowCache.ts'

/**
 * New tokens and cached positions of a run come to a whole number of these: kernels add a softmax's terms in strides of 64,
 * so a longer cache appends whole strides of zeros and changes no bit. Attention reads all of the cache, so the cache grows only as
 * needed.
 */
const STRIDE_POSITIONS = 64

/** A score that a softmax maps to 0. */
const HIDDEN = -1e30

/** Bytes of the keys and values of some positions of one row, in all layers. */
export function cacheBytes({ layers, kvHeads, headDim }: DecoderConfig, positions: number): number {
  return 2 * layers * kvHeads * headDim * positions * Float32Array.BYTES_PER_ELEMENT
}

/**
 * Keys and values of the rows being generated, in buffers of our own: `[rows, kvHeads, capacity, headDim]` a layer.
 *
 * Feeding the runtime's outputs back instead costs a copy of the whole cache each step, because the runtime copies outputs.
 * Rows are the first ones of the buffers, without gaps: `move` closes the gap that a finished row leaves.
 */
export class KvCache implements RowCache {
  readonly #config: DecoderConfig
  readonly #rows: number
  readonly #newTokens: number
  readonly #buffers = new Map<string, Float32Array<ArrayBuffer>>()
  #capacity = 0

  /** @param newTokens - tokens that each run adds to a row. */
  constructor(config: DecoderConfig, rows: number, newTokens: number) {
    this.#config = config
    this.#rows = rows
    this.#newTokens = newTokens
    for (let layer = 0; layer < config.layers; layer++) {
      for (const part of ['key', 'value']) this.#buffers.set(`${layer}.${part}`, new Float32Array(0))
    }
  }

  async open(): Promise<void> {} // grows with need

  /** Allocates `positions` in every row. At 0 it allocates some that only fill a stride: WebGPU's kernels crash on empty tensors. */
  reserve(positions: number): void {
    const whole = Math.ceil((positions + this.#newTokens) / STRIDE_POSITIONS) * STRIDE_POSITIONS - this.#newTokens
    const capacity = whole || STRIDE_POSITIONS
    if (capacity <= this.#capacity) return
    const { kvHeads, headDim } = this.#config
    for (const [name, old] of this.#buffers) {
      const grown = new Float32Array(this.#rows * kvHeads * capacity * headDim)
      for (let head = 0; head < this.#rows * kvHeads && old.length > 0; head++) {
        const from = head * this.#capacity * headDim
        grown.set(old.subarray(from, from + this.#capacity * headDim), head * capacity * headDim)
      }
      this.#buffers.set(name, grown)
    }
    this.#capacity = capacity
  }

  /**
   * The first rows as the graph's inputs, without a copy: `past.<layer>.key|value`, `hidden`, which masks a row's unfilled positions, and
   * `causal`.
   */
  async feeds(filled: readonly number[], newTokens: number): Promise<Record<string, Tensor>> {
    const { kvHeads, headDim } = this.#config
    const rows = filled.length
    const shape = [rows, kvHeads, this.#capacity, headDim]
    const elements = rows * kvHeads * this.#capacity * headDim
    const hidden = new Float32Array(rows * this.#capacity).fill(HIDDEN)
    for (const [row, count] of filled.entries()) hidden.fill(0, row * this.#capacity, row * this.#capacity + count)
    const feeds: Record<string, Tensor> = {
      hidden: tensor('f32', hidden, [rows, 1, 1, this.#capacity]),
      causal: causalScores(this.#config, newTokens),
    }
    for (const [name, data] of this.#buffers) feeds[`past.${name}`] = tensor('f32', data.subarray(0, elements), shape)
    return feeds
  }

  places() {
    return { new: null }
  }

  append(given: Readonly<Record<string, Tensor>>, filled: readonly number[], counts: readonly number[]): void {
    for (const [row, count] of counts.entries())
      this.#store(given.new as Tensor<'f32'>, row, count, filled[row] as number)
  }

  async adopt(other: KvCache, rows: readonly number[], first: number, filled: readonly number[]): Promise<void> {
    for (const [i, row] of rows.entries()) this.#copy(other, row, first + i, filled[row] as number)
  }

  async keep(order: readonly number[], filled: readonly number[]): Promise<void> {
    for (const [row, from] of order.entries()) if (from !== row) this.#copy(this, from, row, filled[row] as number)
  }

  dispose(): void {
    this.#buffers.clear()
  }

  /**
   * Stores positions that a run returned.
   *
   * @param fresh - the run's `new`, `[layers * 2 * B, kvHeads, S, headDim]`.
   * @param row - of the run's B sequences, and of the cache.
   * @param count - how many of its S positions, from the first.
   * @param position - the position of the first of them; there must be space (`reserve`).
   */
  #store({ data, shape }: Tensor<'f32'>, row: number, count: number, position: number): void {
    const { layers, kvHeads, headDim } = this.#config
    const [sequences, length] = [(shape[0] as number) / (2 * layers), (shape[2] as number) * headDim]
    let first = row
    for (const buffer of this.#buffers.values()) {
      for (let head = 0; head < kvHeads; head++) {
        const from = (first * kvHeads + head) * length
        const to = ((row * kvHeads + head) * this.#capacity + position) * headDim
        buffer.set(data.subarray(from, from + count * headDim), to)
      }
      first += sequences
    }
  }

  /** Copies the first `positions` positions of a row of some cache over one of this. */
  #copy(of: KvCache, from: number, to: number, positions: number): void {
    const { kvHeads, headDim } = this.#config
    for (const [name, buffer] of this.#buffers) {
      const source = of.#buffers.get(name) as Float32Array
      for (let head = 0; head < kvHeads; head++) {
        const start = (from * kvHeads + head) * of.#capacity * headDim
        buffer.set(
          source.subarray(start, start + positions * headDim),
          (to * kvHeads + head) * this.#capacity * headDim,
        )
      }
    }
  }
}

/**
 * Scores of new tokens among each other, for each head of a group: 0 for those before, and hidden for the others.
 *
 * @returns [group * length, length].
 */
function causalScores({ heads, kvHeads }: DecoderConfig, length: number): Tensor<'f32'> {
  const rows = (heads / kvHeads) * length
  const scores = new Float32Array(rows * length)
  for (let row = 0; row < rows; row++) scores.fill(HIDDEN, row * length + (row % length) + 1, (row + 1) * length)
  return tensor('f32', scores, [rows, length])
}

/** Share of the available memory that the caches of rows may fill: while a cache grows, two copies of each layer exist for a moment. */
const CACHE_SHARE = 0.8

/**
 * Number of rows whose caches fit into memory, up to their last position. The others wait, which changes no bit of any result.
 *
 * @param memory - available bytes.
 * @throws {ModelInputError} if not even one row fits, together with the cache that its prompt is prefilled in.
 */
export function rowsWithin(config: DecoderConfig, positions: number, memory: number): number {
  const row = cacheBytes(config, positions)
  const rows = Math.floor((CACHE_SHARE * memory) / row) - 1 // a prompt is prefilled in its own cache
  if (rows >= 1) return rows
  const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(1)
  throw new ModelInputError(
    `keys and values of ${positions} tokens take ${gigabytes(2 * row)} GB where ${gigabytes(CACHE_SHARE * memory)} are available`,
    { hint: 'Give a shorter prompt, ask for fewer new tokens, or free some memory.' },
  )
}
