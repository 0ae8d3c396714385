import type { Device } from '#engine/devices/device.ts'
import type { DeviceTensor } from '#engine/devices/deviceTensor.ts'
import { type Feed, type RunResults, type Tensor, tensor } from '#engine/session.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { type DeviceArrays, deviceArrays } from './deviceArrays.ts'
import { causalScores, HIDDEN } from './kvCache.ts'
import type { RowCache } from './rowCache.ts'

/** Steps after which their positions are joined to the past: a step copies those of the steps since then, and no more. */
const RECENT_STEPS = 64

/**
 * Keys and values that stay in a device's memory: the past, [rows, kvHeads, P, headDim] a layer, and the positions of the last steps. A position
 * has the same place in all rows; which places a row has filled is known here and fed as `hidden`. Both begin with a place that nobody sees,
 * since WebGPU's kernels crash on empty tensors.
 */
export class DeviceCache implements RowCache {
  readonly wanted: readonly string[]
  readonly #names: readonly string[]
  readonly #config: DecoderConfig
  readonly #arrays: DeviceArrays
  /** By `<layer>.key|value`. None while it holds no row. */
  readonly #past = new Map<string, DeviceTensor>()
  /** None while no step was taken since they were joined to the past. */
  readonly #recent = new Map<string, DeviceTensor>()
  /** For each row, whether it has filled a place of the past. */
  #filled: boolean[][] = []
  #steps = 0

  constructor(config: DecoderConfig, device: Device) {
    this.#config = config
    this.#arrays = deviceArrays(device)
    this.#names = Array.from({ length: config.layers }, (_, layer) => [`${layer}.key`, `${layer}.value`]).flat()
    this.wanted = this.#names.map(name => `kept.${name}`)
  }

  reserve(): void {} // blocks grow as they are joined

  feeds(filled: readonly number[], newTokens: number): Readonly<Record<string, Feed>> {
    const rows = filled.length
    const nobodys = this.#nobodys(rows)
    const places = this.#filled[0]?.length ?? 1
    const hidden = new Float32Array(rows * places).fill(HIDDEN)
    for (const [row, isFilled] of this.#filled.entries())
      for (const [place, isHere] of isFilled.entries()) if (isHere) hidden[row * places + place] = 0
    const feeds: Record<string, Feed> = {
      hidden: tensor('f32', hidden, [rows, 1, 1, places]),
      causal: causalScores(this.#config, newTokens, 1 + this.#steps),
    }
    for (const name of this.#names) {
      feeds[`past.${name}`] = this.#past.get(name) ?? nobodys
      feeds[`recent.${name}`] = this.#recent.get(name) ?? nobodys
    }
    return feeds
  }

  async append({ kept }: RunResults, _: readonly number[], counts: readonly number[]): Promise<void> {
    const places = ((kept[this.wanted[0] as string] as DeviceTensor).shape[2] as number) - 1
    for (const name of this.#names) replace(this.#recent, name, kept[`kept.${name}`] as DeviceTensor)
    const newTokens = places - this.#steps
    this.#steps = places
    if (newTokens === 1 && this.#filled.length > 0 && places < RECENT_STEPS) return
    await this.#joinRecent(counts.map(count => places - newTokens + count))
  }

  async adopt(other: DeviceCache, rows: readonly number[]): Promise<void> {
    await this.#joinRecent(this.#filled.map(() => this.#steps))
    const [mine, others] = [this.#filled[0]?.length ?? 0, other.#filled[0]?.length ?? 0]
    const places = Math.max(mine, others)
    for (const name of this.#names) {
      const added = await this.#arrays.pick(other.#past.get(name) as DeviceTensor, rows, upTo(others, places))
      const own = this.#past.get(name)
      if (!own) this.#past.set(name, added)
      else {
        const whole = await this.#arrays.pick(own, upTo(this.#filled.length, this.#filled.length), upTo(mine, places))
        replace(this.#past, name, await this.#arrays.join(0, whole, added))
        whole.dispose()
        added.dispose()
      }
    }
    const padded = (isFilled: boolean[]) => [...isFilled, ...new Array<boolean>(places - isFilled.length).fill(false)]
    this.#filled = [...this.#filled, ...rows.map(row => other.#filled[row] as boolean[])].map(padded)
  }

  async keep(order: readonly number[]): Promise<void> {
    if (order.length === this.#filled.length) return
    if (order.length === 0) return this.dispose()
    for (const block of [this.#past, this.#recent]) {
      for (const [name, old] of block) {
        const places = old.shape[2] as number
        replace(block, name, await this.#arrays.pick(old, order, upTo(places, places)))
      }
    }
    this.#filled = order.map(row => this.#filled[row] as boolean[])
  }

  dispose(): void {
    for (const block of [this.#past, this.#recent]) {
      for (const old of block.values()) old.dispose()
      block.clear()
    }
    this.#filled = []
    this.#steps = 0
  }

  /**
   * Makes recent positions some of the past.
   *
   * @param counts - how many of them each row has filled, after the place that nobody sees.
   */
  async #joinRecent(counts: readonly number[]): Promise<void> {
    if (this.#recent.size === 0) return
    for (const [name, recent] of this.#recent) {
      const past = this.#past.get(name)
      replace(this.#past, name, past ? await this.#arrays.join(2, past, recent) : recent)
      if (past) recent.dispose()
    }
    this.#recent.clear()
    const places = this.#steps + 1
    this.#filled = counts.map((count, row) => [
      ...(this.#filled[row] ?? []),
      ...Array.from({ length: places }, (_, place) => place > 0 && place <= count),
    ])
    this.#steps = 0
  }

  /** A place of each row that nobody sees. */
  #nobodys(rows: number): Tensor<'f32'> {
    const { kvHeads, headDim } = this.#config
    return tensor('f32', new Float32Array(rows * kvHeads * headDim), [rows, kvHeads, 1, headDim])
  }
}

function replace(block: Map<string, DeviceTensor>, name: string, by: DeviceTensor): void {
  block.get(name)?.dispose()
  block.set(name, by)
}

/** Indices of `count` places, and the last of them again up to `length`. */
const upTo = (count: number, length: number) => Array.from({ length }, (_, i) => Math.min(i, count - 1))
