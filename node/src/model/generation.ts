import { setImmediate } from 'node:timers/promises'
import { openUniform, philox4x32, streamKey } from '#core/random.ts'
import { attainableMemory } from '#engine/freeMemory.ts'
import { type Session, type Tensor, tensor } from '#engine/session.ts'
import type { DecoderConfig } from './decoderConfig.ts'
import type { Completion, GenerateOptions } from './generate.ts'
import { cacheBytes, causalScores, KvCache } from './kvCache.ts'
import { ModelInputError } from './modelErrors.ts'
import { ropeHalfTables } from './rope.ts'
import { type Draw, drawFiltered, isFiltered } from './samplingFilters.ts'

/** Rows generated at a time; more do not raise the tokens a second, and cost cache memory. */
const MAX_ROWS = 64

/** Tokens of prompts, padding included, that are prefilled in one run. */
const PREFILL_TOKENS = 4096

/** Prompts are padded to a whole number of these: a product with one row is computed otherwise, which would show in the last bit. */
const PREFILL_STEP = 16

/** Longer prompts are prefilled in parts of this many tokens: attention's memory grows with their square. */
const PREFILL_PART = 256

/** Share of the memory that can be had which the caches of rows may fill: a cache that grows is there twice for a moment, layer by layer. */
const CACHE_SHARE = 0.8

/**
 * Rows whose caches fit into memory, up to their last position; the others wait, which changes no bit of any.
 *
 * @param memory - bytes that can be had.
 * @throws {ModelInputError} if not even one fits, with the prompt that it is filled from.
 */
export function rowsWithin(config: DecoderConfig, positions: number, memory: number): number {
  const row = cacheBytes(config, positions)
  const rows = Math.floor((CACHE_SHARE * memory) / row) - 1 // a prompt is prefilled in a cache of its own
  if (rows >= 1) return rows
  const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(1)
  throw new ModelInputError(
    `keys and values of ${positions} tokens take ${gigabytes(2 * row)} GB where ${gigabytes(CACHE_SHARE * memory)} can be had`,
    { hint: 'Give a shorter prompt, ask for fewer new tokens, or free some memory.' },
  )
}

/** A completion in the making. Its cache row is its index among the active ones. */
interface Row {
  readonly prompt: number
  readonly sample: number
  readonly tokens: number[]
  readonly logprobs: number[]
  /** Positions in the cache. */
  cached: number
  /** Token to be fed at position `cached`. */
  next: number
}

/** Rows that share a prompt of `count` tokens. */
interface Group {
  readonly rows: readonly number[]
  readonly count: number
}

/** A token to be drawn for a row after the run's token `at`, counted through its sequences. */
interface Drawing {
  readonly row: Row
  readonly at: number
}

/** One call of `generate`: rows wait, are prefilled, step together, and leave as they end. */
export class Generation {
  readonly #config: DecoderConfig
  readonly #session: Session
  readonly #request: GenerateOptions
  readonly #key: readonly [number, number]
  readonly #cache: KvCache
  readonly #rope: { readonly cos: Tensor; readonly sin: Tensor }
  readonly #stops: ReadonlySet<number>
  readonly #maxRows: number
  readonly #leastRows: number
  readonly #completions: Completion[] = []
  readonly #active: Row[] = []
  #admitted = 0

  /** @param leastRows - that a step has, see `generatorOn`. */
  constructor(config: DecoderConfig, session: Session, request: GenerateOptions, leastRows = 1) {
    this.#config = config
    this.#session = session
    this.#request = request
    this.#key = streamKey('waggle/generate', request.seed)
    this.#stops = new Set([request.stopToken, ...(request.moreStopTokens ?? [])])
    this.#leastRows = leastRows
    const longest = request.prompts.reduce((most, prompt) => Math.max(most, prompt.length), 0)
    const positions = Math.max(partLength(longest), Math.min(config.maxPositions, longest + request.maxNewTokens))
    this.#maxRows = Math.min(MAX_ROWS, this.#total, rowsWithin(config, positions, attainableMemory()))
    this.#cache = new KvCache(config, Math.max(leastRows, this.#maxRows), 1)
    const { cos, sin } = ropeHalfTables(config, positions)
    const shape = [positions, config.headDim / 2]
    this.#rope = { cos: tensor('f32', cos, shape), sin: tensor('f32', sin, shape) }
  }

  get #total(): number {
    return this.#request.prompts.length * this.#request.samplesPerPrompt
  }

  async run(): Promise<Completion[]> {
    for (;;) {
      this.#request.signal?.throwIfAborted()
      const free = this.#maxRows - this.#active.length
      const waiting = this.#total - this.#admitted
      if (waiting > 0 && (free >= this.#maxRows / 4 || free >= waiting)) await this.#admit(Math.min(free, waiting))
      if (this.#active.length > 0) await this.#step()
      else if (this.#admitted === this.#total) return this.#completions
      await setImmediate() // runs block the thread: let an abort in
    }
  }

  /** Starts the next `count` rows with their first tokens: the distinct prompts among them are prefilled once each. */
  async #admit(count: number): Promise<void> {
    const { prompts, samplesPerPrompt } = this.#request
    const byPrompt = new Map<string, number[]>()
    for (const end = this.#admitted + count; this.#admitted < end; this.#admitted++) {
      const prompt = Math.floor(this.#admitted / samplesPerPrompt)
      const tokens = prompts[prompt] as Int32Array
      const text = tokens.join()
      const rows = byPrompt.get(text)
      if (rows) rows.push(this.#active.length)
      else byPrompt.set(text, [this.#active.length])
      const sample = this.#admitted % samplesPerPrompt
      this.#active.push({ prompt, sample, tokens: [], logprobs: [], cached: tokens.length, next: 0 })
    }
    const groups = [...byPrompt.values()].map((rows): Group => ({ rows, count: this.#rowAt(rows[0]).cached }))
    this.#cache.reserve(Math.max(...this.#active.map(row => row.cached)) + 1)
    const waiting = groups.sort((a, b) => a.count - b.count)
    while (waiting.length > 0) {
      let fitting = 1
      while (fitting < waiting.length && partLength(waiting[fitting]?.count) * (fitting + 1) <= PREFILL_TOKENS)
        fitting++
      await this.#prefill(waiting.splice(0, fitting))
    }
    this.#finishDone()
  }

  /** Fills the caches of some groups of rows, part by part, and draws their first tokens. Prompts are padded on the right. */
  async #prefill(groups: readonly Group[]): Promise<void> {
    const longest = Math.max(...groups.map(({ count }) => count))
    const length = partLength(longest)
    const own = new KvCache(this.#config, groups.length, length)
    own.reserve(0)
    for (let start = 0; start < longest; start += length) {
      this.#request.signal?.throwIfAborted()
      const tokens = new BigInt64Array(groups.length * length)
      for (const [g, { rows, count }] of groups.entries()) {
        const prompt = this.#request.prompts[this.#rowAt(rows[0]).prompt] as Int32Array
        for (let i = start; i < Math.min(count, start + length); i++)
          tokens[g * length + i - start] = BigInt(prompt[i] as number)
      }
      const drawings = groups.flatMap(({ rows, count }, g) =>
        count > start && count <= start + length
          ? rows.map(row => ({ row: this.#rowAt(row), at: g * length + count - start - 1 }))
          : [],
      )
      const past = own.feeds(groups.map(({ count }) => Math.min(count, start)))
      const outputs = await this.#run(tokens, new Array(groups.length).fill(start), length, drawings, past)
      const fresh = outputs.new as Tensor<'f32'>
      if (start + length < longest) own.reserve(start + length)
      for (const [g, { rows, count }] of groups.entries()) {
        const part = Math.min(count - start, length)
        if (part <= 0) continue
        if (start + length < longest) own.store(fresh, g, part, g, start)
        for (const row of rows) this.#cache.store(fresh, g, part, row, start)
      }
      for (const [i, { row }] of drawings.entries()) this.#take(row, outputs, i)
    }
  }

  /** One token for every active row. Rows beside them that only make up the least number do as the first, and nobody looks at them. */
  async #step(): Promise<void> {
    const active = this.#active
    const rows = Array.from({ length: Math.max(active.length, this.#leastRows) }, (_, i) => active[i] ?? this.#rowAt(0))
    const positions = rows.map(row => row.cached)
    this.#cache.reserve(Math.max(...positions) + 1)
    const tokens = BigInt64Array.from(rows, row => BigInt(row.next))
    const drawings = active.map((row, at) => ({ row, at }))
    const outputs = await this.#run(tokens, positions, 1, drawings, this.#cache.feeds(positions))
    for (const [i, row] of active.entries()) {
      this.#cache.store(outputs.new as Tensor<'f32'>, i, 1, i, row.cached++)
      this.#take(row, outputs, i)
    }
    this.#finishDone()
  }

  /** Appends the token that was drawn at an index of the run's drawings. */
  #take(row: Row, outputs: Readonly<Record<string, Tensor>>, index: number): void {
    const draw = isFiltered(this.#request) ? this.#drawFiltered(row, outputs, index) : drawnInGraph(outputs, index)
    const { token, logprob } = draw
    row.next = token
    row.tokens.push(token)
    row.logprobs.push(logprob)
    this.#request.onToken?.({ prompt: row.prompt, sample: row.sample, token, logprob })
  }

  #drawFiltered(row: Row, outputs: Readonly<Record<string, Tensor>>, index: number): Draw {
    const { vocabSize } = this.#config
    const logits = (outputs.logits as Tensor<'f32'>).data.subarray(index * vocabSize, (index + 1) * vocabSize)
    const seen = [...(this.#request.prompts[row.prompt] as Int32Array), ...row.tokens]
    return drawFiltered(logits, this.#request, seen, this.#uniform(row))
  }

  #isDone(row: Row): boolean {
    const positionsEnd = row.cached + 1 >= this.#config.maxPositions
    return this.#stops.has(row.next) || row.tokens.length >= this.#request.maxNewTokens || positionsEnd
  }

  #finishDone(): void {
    for (let i = this.#active.length - 1; i >= 0; i--) if (this.#isDone(this.#rowAt(i))) this.#finish(i)
  }

  /** Takes a row out; the last one moves into its place. */
  #finish(index: number): void {
    const row = this.#rowAt(index)
    const last = this.#active.length - 1
    this.#cache.move(last, index, this.#rowAt(last).cached)
    this.#active[index] = this.#rowAt(last)
    this.#active.pop()
    this.#completions[row.prompt * this.#request.samplesPerPrompt + row.sample] = {
      prompt: row.prompt,
      tokens: Int32Array.from(row.tokens),
      logprobs: Float32Array.from(row.logprobs),
      ended: this.#stops.has(row.next),
    }
  }

  /**
   * Runs the graph for new keys and values, and for what is drawn.
   *
   * @param tokens - `[B, length]`.
   * @param first - position of each sequence's first token.
   */
  #run(
    tokens: BigInt64Array<ArrayBuffer>,
    first: readonly number[],
    length: number,
    drawings: readonly Drawing[],
    past: Readonly<Record<string, Tensor>>,
  ): Promise<Record<string, Tensor>> {
    const sequences = first.length
    const { temperature } = this.#request
    const lastPosition = (this.#rope.cos.shape[0] as number) - 1 // padding may lie beyond it
    const positions = BigInt64Array.from({ length: sequences * length }, (_, i) =>
      BigInt(Math.min(lastPosition, (first[Math.floor(i / length)] as number) + (i % length))),
    )
    // The graph draws in any case: once from its first row where nothing is wanted.
    const [last, uniforms] = [
      drawings.length ? BigInt64Array.from(drawings, ({ at }) => BigInt(at)) : BigInt64Array.of(0n),
      drawings.length ? Float32Array.from(drawings, ({ row }) => this.#uniform(row)) : Float32Array.of(0.5),
    ]
    const group = this.#config.heads / this.#config.kvHeads
    const feeds = {
      tokens: tensor('i64', tokens, [sequences, length]),
      positions: tensor('i64', positions, [sequences, length]),
      last: tensor('i64', last, [last.length]),
      causal: tensor('f32', causalScores(group, length), [group * length, length]),
      ...this.#rope,
      uniforms: tensor('f32', uniforms, [last.length, 1]),
      inverseTemperature: tensor('f32', Float32Array.of(temperature === 0 ? 1 : 1 / temperature), []),
      greedy: tensor('bool', Uint8Array.of(temperature === 0 ? 1 : 0), []),
      ...past,
    }
    const drawn = isFiltered(this.#request) ? ['logits'] : ['token', 'logprob']
    return this.#session.run(feeds, [...(drawings.length ? drawn : []), 'new'])
  }

  /** Keyed by seed, and counted by step, sample and prompt: the same whoever else is in the batch. */
  #uniform(row: Row): number {
    const prompt = this.#request.promptNumbers?.[row.prompt] ?? row.prompt
    return openUniform(philox4x32([row.tokens.length, row.sample, prompt, 0], this.#key)[0])
  }

  #rowAt(index: number | undefined): Row {
    return this.#active[index as number] as Row
  }
}

/** Tokens a run of a prefill whose longest prompt has `count`. */
function partLength(count = 0): number {
  return Math.min(PREFILL_PART, Math.ceil(count / PREFILL_STEP) * PREFILL_STEP)
}

function drawnInGraph(outputs: Readonly<Record<string, Tensor>>, index: number): Draw {
  const { token, logprob } = outputs as { token: Tensor<'i64'>; logprob: Tensor<'f32'> }
  return { token: Number(token.data[index]), logprob: logprob.data[index] as number }
}
