import { type Tensor, tensor } from '#engine/session.ts'
import type { DecoderConfig } from './decoderConfig.ts'

/** The attention kernel takes heads of a whole number of these elements. */
const HEAD_DIM_STEP = 8

/** Width of a head in the cache: that of the model, or the next that the attention kernel takes, filled up with zeros. */
export function cacheHeadDim({ headDim }: DecoderConfig): number {
  return Math.ceil(headDim / HEAD_DIM_STEP) * HEAD_DIM_STEP
}

/** Positions added at a time: the attention kernel clears as much memory as the cache could hold, so it grows with need. */
const GROWTH_POSITIONS = 32

/**
 * Keys and values of the rows being generated, in buffers of our own: `[rows, kvHeads, capacity, cacheHeadDim]` a layer.
 *
 * Feeding the runtime's outputs back instead costs a copy of the whole cache each step, because outputs leave it copied.
 * Rows are the first ones of the buffers, without gaps: `move` closes the gap that a finished row leaves.
 */
export class KvCache {
  readonly #config: DecoderConfig
  readonly #rows: number
  readonly #buffers = new Map<string, Float32Array<ArrayBuffer>>()
  #capacity = 0

  constructor(config: DecoderConfig, rows: number) {
    this.#config = config
    this.#rows = rows
    for (let layer = 0; layer < config.layers; layer++) {
      for (const part of ['key', 'value']) this.#buffers.set(`${layer}.${part}`, new Float32Array(0))
    }
  }

  /** Makes room for `positions` in every row. */
  reserve(positions: number): void {
    if (positions <= this.#capacity) return
    const capacity = Math.ceil(positions / GROWTH_POSITIONS) * GROWTH_POSITIONS
    const { kvHeads } = this.#config
    const headDim = cacheHeadDim(this.#config)
    for (const [name, old] of this.#buffers) {
      const grown = new Float32Array(this.#rows * kvHeads * capacity * headDim)
      for (let head = 0; head < this.#rows * kvHeads; head++) {
        const from = head * this.#capacity * headDim
        grown.set(old.subarray(from, from + this.#capacity * headDim), head * capacity * headDim)
      }
      this.#buffers.set(name, grown)
    }
    this.#capacity = capacity
  }

  /** The first `rows` rows as the graph's `past` inputs; not copied. */
  feeds(rows: number): Record<string, Tensor> {
    const { kvHeads } = this.#config
    const headDim = cacheHeadDim(this.#config)
    const shape = [rows, kvHeads, this.#capacity, headDim]
    const elements = rows * kvHeads * this.#capacity * headDim
    const feeds: Record<string, Tensor> = {}
    for (const [name, data] of this.#buffers) feeds[`past.${name}`] = tensor('f32', data.subarray(0, elements), shape)
    return feeds
  }

  /**
   * Stores positions that a run returned.
   *
   * @param outputs - the run's outputs; `new.<layer>.key|value` are `[B, S, kvHeads * cacheHeadDim]`.
   * @param sequence - which of the run's B sequences.
   * @param count - how many of its S positions, from the first.
   * @param row - where they go.
   * @param position - the position of the first of them; there must be room (`reserve`).
   */
  store(
    outputs: Readonly<Record<string, Tensor>>,
    sequence: number,
    count: number,
    row: number,
    position: number,
  ): void {
    const { kvHeads } = this.#config
    const headDim = cacheHeadDim(this.#config)
    for (const [name, buffer] of this.#buffers) {
      const { data, shape } = outputs[`new.${name}`] as Tensor<'f32'>
      const first = sequence * (shape[1] as number) * kvHeads * headDim
      for (let head = 0; head < kvHeads; head++) {
        const to = ((row * kvHeads + head) * this.#capacity + position) * headDim
        for (let i = 0; i < count; i++) {
          const from = first + (i * kvHeads + head) * headDim
          for (let d = 0; d < headDim; d++) buffer[to + i * headDim + d] = data[from + d] as number
        }
      }
    }
  }

  /** Copies the first `positions` positions of one row over another. */
  move(from: number, to: number, positions: number): void {
    if (from === to) return
    const { kvHeads } = this.#config
    const headDim = cacheHeadDim(this.#config)
    const stride = this.#capacity * headDim
    for (const buffer of this.#buffers.values()) {
      for (let head = 0; head < kvHeads; head++) {
        const start = (from * kvHeads + head) * stride
        buffer.copyWithin((to * kvHeads + head) * stride, start, start + positions * headDim)
      }
    }
  }
}
