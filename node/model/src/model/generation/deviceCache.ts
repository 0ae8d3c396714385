import type { Device } from '#engine/devices/device.ts'
import { type DeviceTensor, firstRows } from '#engine/devices/deviceTensor.ts'
import { type Feed, tensor } from '#engine/session.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { type DeviceArrays, type DeviceReal, deviceArrays } from './deviceArrays.ts'
import type { RowCache } from './rowCache.ts'

/** Size and number type of a cache. */
interface CacheSize {
  readonly rows: number
  readonly positions: number
  readonly real: DeviceReal
}

/**
 * Keys and values that stay in a device's memory, [rows, kvHeads, positions, headDim] a layer, made once for all steps. A run is fed its
 * first rows and writes new positions into them, without copying the old ones.
 */
export class DeviceCache implements RowCache {
  readonly #names: readonly string[]
  readonly #config: DecoderConfig
  readonly #size: CacheSize
  readonly #arrays: DeviceArrays
  /** By `<layer>.key|value`; none before the first run. */
  readonly #blocks = new Map<string, DeviceTensor>()

  constructor(config: DecoderConfig, device: Device, size: CacheSize) {
    this.#config = config
    this.#size = size
    this.#arrays = deviceArrays(device)
    this.#names = Array.from({ length: config.layers }, (_, layer) => [`${layer}.key`, `${layer}.value`]).flat()
  }

  async open(): Promise<void> {
    if (this.#blocks.size > 0) return
    const { kvHeads, headDim } = this.#config
    const { rows, positions, real } = this.#size
    try {
      for (const name of this.#names)
        this.#blocks.set(name, await this.#arrays.zeros(real, [rows, kvHeads, positions, headDim]))
    } catch (cause) {
      this.dispose()
      throw cause
    }
  }

  reserve(): void {} // it is as large as it will be

  async feeds(filled: readonly number[], newTokens: number): Promise<Readonly<Record<string, Feed>>> {
    await this.open()
    const after = filled.map(count => count + newTokens)
    const feeds: Record<string, Feed> = {
      lastPlace: tensor(
        'i32',
        Int32Array.from(after, count => count - 1),
        [filled.length],
      ),
      filled: tensor('i32', Int32Array.of(Math.max(...after)), []),
    }
    for (const name of this.#names) feeds[`past.${name}`] = this.#rows(name, filled.length)
    return feeds
  }

  places(rows: number): Readonly<Record<string, DeviceTensor>> {
    return Object.fromEntries(this.#names.map(name => [`kept.${name}`, this.#rows(name, rows)]))
  }

  append(): void {} // the run has done it

  async adopt(other: DeviceCache, rows: readonly number[], first: number): Promise<void> {
    await this.open()
    const to = rows.map((_, i) => first + i)
    for (const name of this.#names) await this.#arrays.move(other.#block(name), rows, this.#block(name), to)
  }

  async keep(order: readonly number[]): Promise<void> {
    const to = order.flatMap((from, row) => (from === row ? [] : [row]))
    if (to.length === 0) return
    const from = to.map(row => order[row] as number)
    for (const name of this.#names) await this.#arrays.move(this.#block(name), from, this.#block(name), to)
  }

  dispose(): void {
    for (const block of this.#blocks.values()) block.dispose()
    this.#blocks.clear()
  }

  #block(name: string): DeviceTensor {
    return this.#blocks.get(name) as DeviceTensor
  }

  #rows(name: string, rows: number): DeviceTensor {
    return firstRows(this.#block(name), rows)
  }
}
