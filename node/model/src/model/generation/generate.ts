import { setImmediate } from 'node:timers/promises'
import { type Device, keepsTensors } from '#engine/devices/device.ts'
import { attainableMemory } from '#engine/devices/freeMemory.ts'
import { isShortage } from '#engine/engineError.ts'
import type { Session } from '#engine/session.ts'
import { ShortageLimit } from '#engine/shortageLimit.ts'
import { checkOptions, generateSchema, runSchema } from '../checkOptions.ts'
import { requireConstants } from '../decoder/constantWeights.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { checkWeights, type Weights } from '../decoder/weights.ts'
import { createLiveSession, type SessionQueue } from '../liveSession.ts'
import { bakedParts } from '../quantization/frozenParts.ts'
import { checkRequest } from './checkRequest.ts'
import type { Completion, GenerateOptions } from './completion.ts'
import { DeviceCache } from './deviceCache.ts'
import { buildGenerationModel, cacheReal } from './generationGraph.ts'
import type { GenerationRow } from './generationRow.ts'
import { GenerationRuns } from './generationRuns.ts'
import { KvCache, rowsWithin } from './kvCache.ts'
import { type PromptRuns, partLength, prefill } from './prefill.ts'
import { promptRuns } from './promptRuns.ts'
import type { RowCache } from './rowCache.ts'
import type { Draw, SampledWith } from './samplingFilters.ts'

export interface Generator {
  /**
   * Samples completions, in prompt-major order.
   *
   * A completion depends on the weights, its prompt, the seed, and its prompt's and sample's number; not on what else is in
   * the call, bit for bit on one kind of machine. Calls run one after another.
   *
   * Rows wait until there is memory for their keys and values. If an allocation fails, the call starts again with half as many rows at a time, and
   * later calls begin with those. Each token is told once.
   *
   * @throws {ModelInputError} on an empty prompt, an unknown token, a prompt longer than the model's positions, or too little memory for the keys
   *   and values of one row.
   */
  generate(options: GenerateOptions): Promise<Completion[]>
  dispose(): Promise<void>
}

/**
 * Makes a sampler for a decoder. Weights may be changed in place between calls: each call uses the current weights (the session is built
 * again if they differ, which takes some tens of milliseconds for a million parameters).
 *
 * Runs block their thread for milliseconds each: keep it in a worker.
 *
 * @param options.threads - for one product; the completions do not depend on it. 1 by default: a model of a million
 *   parameters gains a tenth from a second one on a quiet machine, and loses three quarters where processes share the cores.
 * @param options.device - device that runs it; completions of a GPU are not bitwise identical to those of the CPU.
 * @throws {ModelFileError} if a weight is missing or misshapen.
 * @throws {ModelInputError} if the weights take 2 GiB or more.
 */
export function createGenerator(
  config: DecoderConfig,
  weights: Weights,
  options: { threads?: number; device?: Device } = {},
): Generator {
  checkOptions(runSchema, options, 'createGenerator')
  const { threads = 1, device = 'cpu' } = options
  checkWeights(config, weights, 'weights')
  requireConstants(weights)
  const live = createLiveSession(weights, of => buildGenerationModel(config, bakedParts(config, of), device), {
    threads,
  })
  return generatorOn(config, live)
}

/**
 * A sampler on a session of `buildGenerationModel`.
 *
 * @param leastRows - of a step. ONNX Runtime computes a product of one row with a matrix that is not a constant differently from one of several rows.
 */
export function generatorOn(config: DecoderConfig, live: SessionQueue, leastRows = 1): Generator {
  const cached = new ShortageLimit()
  return {
    async generate(request) {
      checkOptions(generateSchema, request, 'generate')
      checkRequest(config, request)
      return live.use(async session => {
        const reads = await promptRuns(session.model.device, cacheReal(session.model))
        return generateWithin({ config, session, request, reads, leastRows, cached, told: [] })
      })
    },
    dispose: () => live.dispose(),
  }
}

/** Rows generated at a time; more do not raise the tokens a second, and cost cache memory. */
const MAX_ROWS = 64

/** Inputs of a call of `generate`. */
interface GenerationModules {
  readonly config: DecoderConfig
  readonly session: Session
  readonly request: GenerateOptions
  readonly reads: PromptRuns
  /** Rows that a step has at least, see `generatorOn`. */
  readonly leastRows: number
  /** Limit of the positions that are cached at once. */
  readonly cached: ShortageLimit
  /** Tokens of each completion that were told, by its number. */
  readonly told: number[]
}

/**
 * Generates, and starts again with half as many rows while memory is short: a device's free memory is unknown, and a completion does not depend on
 * the others.
 *
 * @throws {SessionMemoryError} if one row at a time does not fit.
 */
async function generateWithin(modules: GenerationModules): Promise<Completion[]> {
  const { cached } = modules
  for (;;) {
    const generation = new Generation(modules)
    try {
      const completions = await generation.run()
      cached.succeed()
      return completions
    } catch (error) {
      if (!isShortage(error) || generation.rows <= 1) throw error
      cached.halve(generation.rows * generation.positions)
    }
  }
}

/** One attempt at a call of `generate`: rows wait, are prefilled, step together, and leave as they end. */
class Generation {
  /** Rows at a time. */
  readonly rows: number
  /** Positions of each in the cache. */
  readonly positions: number
  readonly #config: DecoderConfig
  readonly #request: GenerateOptions
  readonly #sampling: SampledWith
  readonly #runs: GenerationRuns
  readonly #cache: RowCache
  readonly #openCache: (rows: number, newTokens: number) => RowCache
  readonly #reads: PromptRuns
  readonly #stops: ReadonlySet<number>
  readonly #leastRows: number
  readonly #told: number[]
  readonly #completions: Completion[] = []
  readonly #active: GenerationRow[] = []
  #admitted = 0

  constructor({ config, session, request, reads, leastRows, cached, told }: GenerationModules) {
    this.#config = config
    this.#request = request
    this.#told = told
    this.#stops = new Set([request.stopToken, ...(request.moreStopTokens ?? [])])
    const { temperature, topK, topP, minP, repetitionPenalty } = request
    this.#sampling = { temperature, topK, topP, minP, repetitionPenalty }
    const { device } = session.model
    this.#leastRows = keepsTensors(device) ? 1 : leastRows
    this.#reads = reads
    const longest = request.prompts.reduce((most, prompt) => Math.max(most, prompt.length), 0)
    const part = partLength(longest, reads)
    // Padded prompts consist of whole parts, and a cache that does not grow needs space for all of them.
    const least = keepsTensors(device) ? Math.ceil(longest / part) * part : part
    const positions = Math.max(least, Math.min(config.maxPositions, longest + request.maxNewTokens))
    this.positions = positions
    const real = cacheReal(session.model)
    this.#openCache = keepsTensors(device)
      ? rows => new DeviceCache(config, device, { rows, positions, real })
      : (rows, newTokens) => new KvCache(config, rows, newTokens)
    const fitting = Math.max(1, Math.floor(cached.limit / positions))
    this.rows = Math.min(MAX_ROWS, this.#total, rowsWithin(config, positions, attainableMemory()), fitting)
    this.#cache = this.#openCache(Math.max(leastRows, this.rows), 1)
    this.#runs = new GenerationRuns(config, session, request, positions)
  }

  get #total(): number {
    return this.#request.prompts.length * this.#request.samplesPerPrompt
  }

  async run(): Promise<Completion[]> {
    try {
      await this.#cache.open()
      return await this.#untilAllEnd()
    } finally {
      this.#cache.dispose()
      this.#runs.dispose()
    }
  }

  async #untilAllEnd(): Promise<Completion[]> {
    for (;;) {
      this.#request.signal?.throwIfAborted()
      const free = this.rows - this.#active.length
      const waiting = this.#total - this.#admitted
      if (waiting > 0 && (free >= this.rows / 4 || free >= waiting)) await this.#admit(Math.min(free, waiting))
      if (this.#active.length > 0) await this.#step()
      else if (this.#admitted === this.#total) return this.#completions
      await setImmediate() // runs block the thread: let an abort in
    }
  }

  /** Starts the next `count` rows with their first tokens: the distinct prompts among them are prefilled once each. */
  async #admit(count: number): Promise<void> {
    const { prompts, samplesPerPrompt } = this.#request
    const groups = new Map<string, { prompt: Int32Array; rows: GenerationRow[] }>()
    for (const end = this.#admitted + count; this.#admitted < end; this.#admitted++) {
      const number = Math.floor(this.#admitted / samplesPerPrompt)
      const prompt = prompts[number] as Int32Array
      const sample = this.#admitted % samplesPerPrompt
      const text = prompt.join()
      const group = groups.get(text) ?? { prompt, rows: [] }
      group.rows.push({ prompt: number, sample, tokens: [], logprobs: [], cached: prompt.length, next: 0 })
      groups.set(text, group)
    }
    const byLength = [...groups.values()].sort((a, b) => a.prompt.length - b.prompt.length)
    const first = this.#active.length
    this.#active.push(...byLength.flatMap(({ rows }) => rows))
    this.#cache.reserve(Math.max(...this.#active.map(row => row.cached)) + 1)
    await prefill(byLength, first, {
      reads: this.#reads,
      runs: this.#runs,
      cache: this.#cache,
      openCache: this.#openCache,
      signal: this.#request.signal,
      take: (row, draw) => this.#take(row, draw),
    })
    await this.#finishDone()
  }

  /** One token for every active row. Rows that only pad the minimum repeat the first, and are not read. */
  async #step(): Promise<void> {
    const active = this.#active
    const rows = Array.from({ length: Math.max(active.length, this.#leastRows) }, (_, i) => active[i] ?? this.#rowAt(0))
    const first = rows.map(row => row.cached)
    this.#cache.reserve(Math.max(...first) + 1)
    const ids = BigInt64Array.from(rows, row => BigInt(row.next))
    const drawings = active.map((row, at) => ({ row, at }))
    const run = { ids, length: 1, first, cache: this.#cache, filled: first }
    const { given, draws } = await this.#runs.run(run, drawings)
    this.#cache.append(
      given,
      first,
      active.map(() => 1),
    )
    for (const [i, row] of active.entries()) {
      row.cached++
      this.#take(row, draws[i] as Draw)
    }
    await this.#finishDone()
  }

  #take(row: GenerationRow, { token, logprob }: Draw): void {
    row.next = token
    row.tokens.push(token)
    row.logprobs.push(logprob)
    const number = row.prompt * this.#request.samplesPerPrompt + row.sample
    if (row.tokens.length <= (this.#told[number] ?? 0)) return // by an attempt that was short of memory
    this.#told[number] = row.tokens.length
    this.#request.onToken?.({ prompt: row.prompt, sample: row.sample, token, logprob })
  }

  #isDone(row: GenerationRow): boolean {
    const positionsEnd = row.cached + 1 >= this.#config.maxPositions
    return this.#stops.has(row.next) || row.tokens.length >= this.#request.maxNewTokens || positionsEnd
  }

  /** Removes finished rows; the last ones move into their places. */
  async #finishDone(): Promise<void> {
    const order = this.#active.map((_, i) => i)
    for (let i = this.#active.length - 1; i >= 0; i--) {
      const row = this.#rowAt(i)
      if (!this.#isDone(row)) continue
      this.#complete(row)
      const [last, from] = [this.#active.pop() as GenerationRow, order.pop() as number]
      if (i === this.#active.length) continue
      this.#active[i] = last
      order[i] = from
    }
    await this.#cache.keep(
      order,
      this.#active.map(({ cached }) => cached),
    )
  }

  #complete(row: GenerationRow): void {
    this.#completions[row.prompt * this.#request.samplesPerPrompt + row.sample] = {
      prompt: row.prompt,
      tokens: Int32Array.from(row.tokens),
      logprobs: Float32Array.from(row.logprobs),
      ended: this.#stops.has(row.next),
      sampling: this.#sampling,
    }
  }

  #rowAt(index: number): GenerationRow {
    return this.#active[index] as GenerationRow
  }
}
