import { keepsTensors } from '#engine/devices/device.ts'
import type { DeviceTensor } from '#engine/devices/deviceTensor.ts'
import { fromDevice, toDevice } from '#engine/devices/toDevice.ts'
import { type Feed, type Places, type Session, type Tensor, tensor } from '#engine/session.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { ropeHalfTables } from '../decoder/rope.ts'
import type { GenerateOptions } from './completion.ts'
import { deviceArrays } from './deviceArrays.ts'
import { DeviceRows } from './deviceRows.ts'
import type { GenerationRow } from './generationRow.ts'
import { drawFromLikely, type LikelyDraw } from './likelyDraw.ts'
import { drawFromNucleus } from './nucleus.ts'
import type { RowCache } from './rowCache.ts'
import { type Draw, drawFiltered, drawnBy } from './samplingFilters.ts'
import { type Race, type TokenDraw, tokenRaces } from './tokenRaces.ts'

/** A token to be drawn for a row after the run's token `at`, counted through its sequences. */
export interface Drawing {
  readonly row: GenerationRow
  readonly at: number
}

/** Some tokens of B sequences, `length` of each. */
interface RunTokens {
  /** [B, length]. */
  readonly ids: BigInt64Array<ArrayBuffer>
  readonly length: number
  /** Position of each sequence's first token. */
  readonly first: readonly number[]
  /** Has keys and values of what comes before them. */
  readonly cache: RowCache
  /** Positions of each sequence in the cache. */
  readonly filled: readonly number[]
}

/** Results of a run: new keys and values for the cache, and a draw for each drawing. */
export interface Run {
  readonly given: Readonly<Record<string, Tensor>>
  readonly draws: readonly Draw[]
}

/** Outputs of the graph that a draw uses. */
const drawOutputs = {
  likeliest: ['token', 'logprob'],
  race: ['probabilities'],
  filters: ['logits'],
} as const satisfies Record<ReturnType<typeof drawnBy>, readonly string[]>

/** Outputs that a race uses on a device that keeps tensors. */
const likelyOutputs = ['likely', 'likelyTokens', 'mass']

/** Runs of the generation graph for one request. */
export class GenerationRuns {
  readonly #config: DecoderConfig
  readonly #session: Session
  readonly #request: GenerateOptions
  readonly #by: ReturnType<typeof drawnBy>
  readonly #races: (draw: TokenDraw) => Race
  readonly #rope: Record<'cos' | 'sin', Tensor<'f32'>>
  /** The same on the device, from the first run on. */
  #ropeThere: Readonly<Record<string, DeviceTensor>> | undefined
  /** Probabilities of the last draws, which stay on the device. */
  readonly #probabilities: DeviceRows
  readonly #lastPosition: number

  /** @param positions - maximum of positions in use. */
  constructor(config: DecoderConfig, session: Session, request: GenerateOptions, positions: number) {
    this.#config = config
    this.#session = session
    this.#request = request
    this.#by = drawnBy(request)
    this.#races = tokenRaces(request.seed)
    const { cos, sin } = ropeHalfTables(config, positions)
    const shape = [positions, config.headDim / 2]
    this.#rope = { cos: tensor('f32', cos, shape), sin: tensor('f32', sin, shape) }
    this.#lastPosition = positions - 1
    this.#probabilities = new DeviceRows(rows =>
      deviceArrays(session.model.device).zeros('f32', [rows, config.vocabSize]),
    )
  }

  async run(tokens: RunTokens, drawings: readonly Drawing[]): Promise<Run> {
    const { device } = this.#session.model
    if (keepsTensors(device)) this.#ropeThere ??= await toDevice(device, this.#rope)
    const feeds = { ...(await this.#tokenFeeds(tokens)), ...this.#drawFeeds(drawings) }
    const there = await this.#probabilitiesThere(drawings.length)
    const drawn = there ? likelyOutputs : drawOutputs[this.#by]
    const places: Places = {
      ...(drawings.length > 0 && Object.fromEntries(drawn.map(name => [name, null]))),
      ...(there && { probabilities: there }),
      ...tokens.cache.places(tokens.filled.length),
    }
    const given = await this.#session.run(feeds, places)
    return { given, draws: await this.#draws(drawings, given, there) }
  }

  dispose(): void {
    for (const table of Object.values(this.#ropeThere ?? {})) table.dispose()
    this.#probabilities.dispose()
  }

  /** The device's tensor for the probabilities of some draws; undefined if no draw needs them. */
  async #probabilitiesThere(draws: number): Promise<DeviceTensor | undefined> {
    const { device } = this.#session.model
    if (draws === 0 || this.#by !== 'race' || !keepsTensors(device)) return undefined
    return this.#probabilities.first(draws)
  }

  async #tokenFeeds({ ids, length, first, cache, filled }: RunTokens): Promise<Record<string, Feed>> {
    const shape = [first.length, length]
    // Padding may lie beyond the last position.
    const positions = BigInt64Array.from(ids, (_, i) =>
      BigInt(Math.min(this.#lastPosition, (first[Math.floor(i / length)] as number) + (i % length))),
    )
    return {
      tokens: tensor('i64', ids, shape),
      ...(this.#session.model.inputs.has('positions') && { positions: tensor('i64', positions, shape) }),
      ...this.#rope,
      ...this.#ropeThere,
      ...(await cache.feeds(filled, length)),
    }
  }

  /** The graph always reads a row: the first one if nothing is requested. */
  #drawFeeds(drawings: readonly Drawing[]): Record<string, Tensor> {
    const { temperature } = this.#request
    const last = drawings.length ? BigInt64Array.from(drawings, ({ at }) => BigInt(at)) : BigInt64Array.of(0n)
    return {
      last: tensor('i64', last, [last.length]),
      inverseTemperature: tensor('f32', Float32Array.of(temperature === 0 ? 1 : 1 / temperature), []),
    }
  }

  /**
   * The drawn tokens. Of probabilities that stay on the device, those of tokens that may win without being among the likeliest are read; and a
   * whole row only if its nucleus is larger than the returned part.
   */
  async #draws(
    drawings: readonly Drawing[],
    given: Readonly<Record<string, Tensor>>,
    probabilities: DeviceTensor | undefined,
  ): Promise<Draw[]> {
    if (!probabilities) return drawings.map(({ row }, i) => this.#draw(row, given, i))
    const { device } = this.#session.model
    const begun = drawings.map(({ row }, i) => this.#fromLikely(row, given, i))
    const rivals = begun.flatMap((one, i) => one?.rivals.map(token => i * this.#config.vocabSize + token) ?? [])
    const found = rivals.length > 0 ? await deviceArrays(device).numbers(probabilities, rivals) : new Float32Array()
    const whole = begun.includes(null) ? await fromDevice(device, probabilities) : undefined
    let from = 0
    return begun.map((one, i) => {
      if (one === null) return this.#draw((drawings[i] as Drawing).row, { probabilities: whole as Tensor }, i)
      const own = found.subarray(from, from + one.rivals.length)
      from += own.length
      return one.settle(own)
    })
  }

  #fromLikely(row: GenerationRow, outputs: Readonly<Record<string, Tensor>>, index: number): LikelyDraw | null {
    const { likely, likelyTokens, mass } = outputs as {
      likely: Tensor<'f32'>
      likelyTokens: Tensor<'i64'>
      mass: Tensor<'f32'>
    }
    const count = likely.shape[1] as number
    const [from, to] = [index * count, (index + 1) * count]
    const share = {
      probabilities: likely.data.subarray(from, to),
      tokens: likelyTokens.data.subarray(from, to),
      total: mass.data[index] as number,
      vocabSize: this.#config.vocabSize,
    }
    return drawFromLikely(share, this.#request.topP ?? 1, this.#race(row))
  }

  /** The token drawn at an index of the run's drawings: the graph's if the likeliest token is wanted, otherwise drawn here. */
  #draw(row: GenerationRow, outputs: Readonly<Record<string, Tensor>>, index: number): Draw {
    if (this.#by === 'likeliest') {
      const { token, logprob } = outputs as { token: Tensor<'i64'>; logprob: Tensor<'f32'> }
      return { token: Number(token.data[index]), logprob: logprob.data[index] as number }
    }
    const { vocabSize } = this.#config
    const rowOf = (name: string) =>
      (outputs[name] as Tensor<'f32'>).data.subarray(index * vocabSize, (index + 1) * vocabSize)
    const race = this.#race(row)
    if (this.#by === 'race') return drawFromNucleus(rowOf('probabilities'), this.#request.topP ?? 1, race)
    const seen = [...(this.#request.prompts[row.prompt] as Int32Array), ...row.tokens]
    return drawFiltered(rowOf('logits'), this.#request, seen, race)
  }

  #race(row: GenerationRow): Race {
    const { promptNumbers, sampleNumbers } = this.#request
    const prompt = promptNumbers?.[row.prompt] ?? row.prompt
    const sample = sampleNumbers?.[row.sample] ?? row.sample
    return this.#races({ prompt, sample, step: row.tokens.length })
  }
}
