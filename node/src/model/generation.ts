import { setImmediate } from 'node:timers/promises'
import { openUniform, philox4x32, streamKey } from '#core/random.ts'
import { type Session, type Tensor, tensor } from '#engine/session.ts'
import type { DecoderConfig } from './decoderConfig.ts'
import type { Completion, GenerateOptions } from './generate.ts'
import { KvCache } from './kvCache.ts'
import { ropeHalfTables } from './rope.ts'

/** Rows generated at a time; more do not raise the tokens a second of a small model, and cost cache memory. */
const MAX_ROWS = 64

/** Tokens of prompts, padding included, that are prefilled in one run. */
const PREFILL_TOKENS = 4096

/** Prompts are padded to at least this: a product with one row is computed otherwise, which would show in the last bit. */
const PREFILL_MIN_LENGTH = 8

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

/** One call of `generate`: rows wait, are prefilled, step together, and leave as they end. */
export class Generation {
  readonly #config: DecoderConfig
  readonly #session: Session
  readonly #request: GenerateOptions
  readonly #key: readonly [number, number]
  readonly #cache: KvCache
  readonly #rope: { readonly cos: Tensor; readonly sin: Tensor }
  readonly #maxRows: number
  readonly #completions: Completion[] = []
  readonly #active: Row[] = []
  #admitted = 0

  constructor(config: DecoderConfig, session: Session, request: GenerateOptions) {
    this.#config = config
    this.#session = session
    this.#request = request
    this.#key = streamKey('waggle/generate', request.seed)
    this.#maxRows = Math.min(MAX_ROWS, this.#total)
    this.#cache = new KvCache(config, this.#maxRows)
    const longest = request.prompts.reduce((most, prompt) => Math.max(most, prompt.length), 0)
    const positions = Math.max(PREFILL_MIN_LENGTH, Math.min(config.maxPositions, longest + request.maxNewTokens))
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
      if (this.#active.length === 0) return this.#completions
      await this.#step()
      await setImmediate() // runs block the thread: let an abort in
    }
  }

  /** Starts the next `count` rows: the distinct prompts among them are prefilled once each, but for their last token. */
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
      const next = tokens.at(-1) as number
      const sample = this.#admitted % samplesPerPrompt
      this.#active.push({ prompt, sample, tokens: [], logprobs: [], cached: tokens.length - 1, next })
    }
    const groups = [...byPrompt.values()].filter(rows => this.#rowAt(rows[0]).cached > 0)
    this.#cache.reserve(Math.max(...this.#active.map(row => row.cached)) + 1)
    groups.sort((a, b) => this.#rowAt(a[0]).cached - this.#rowAt(b[0]).cached)
    while (groups.length > 0) {
      let longest = PREFILL_MIN_LENGTH
      let fitting = 0
      for (; fitting < groups.length; fitting++) {
        longest = Math.max(longest, this.#rowAt(groups[fitting]?.[0]).cached)
        if (fitting > 0 && longest * (fitting + 1) > PREFILL_TOKENS) break
      }
      await this.#prefill(groups.splice(0, fitting))
    }
  }

  /** Fills the caches of some groups of rows, each of one prompt. Prompts are padded on the right. */
  async #prefill(groups: readonly (readonly number[])[]): Promise<void> {
    const counts = groups.map(rows => this.#rowAt(rows[0]).cached)
    const length = Math.max(PREFILL_MIN_LENGTH, ...counts)
    const tokens = new BigInt64Array(groups.length * length)
    groups.forEach((rows, g) => {
      const prompt = this.#request.prompts[this.#rowAt(rows[0]).prompt] as Int32Array
      for (let i = 0; i < (counts[g] as number); i++) tokens[g * length + i] = BigInt(prompt[i] as number)
    })
    const outputs = await this.#session.run({
      ...this.#inputs(
        tokens,
        Int32Array.from(counts, count => count - 1),
        length,
      ),
      ...new KvCache(this.#config, 0).feeds(groups.length),
    })
    groups.forEach((rows, g) => {
      for (const row of rows) this.#cache.store(outputs, g, counts[g] as number, row, 0)
    })
  }

  /** One token for every active row. */
  async #step(): Promise<void> {
    const active = this.#active
    const positions = Int32Array.from(active, row => row.cached)
    this.#cache.reserve(Math.max(...positions) + 1)
    const outputs = await this.#session.run({
      ...this.#inputs(
        BigInt64Array.from(active, row => BigInt(row.next)),
        positions,
        1,
      ),
      ...this.#cache.feeds(active.length),
    })
    const tokens = outputs.token?.data as BigInt64Array
    const logprobs = outputs.logprob?.data as Float32Array
    for (const [i, row] of active.entries()) {
      this.#cache.store(outputs, i, 1, i, row.cached++)
      row.next = Number(tokens[i])
      row.tokens.push(row.next)
      row.logprobs.push(logprobs[i] as number)
    }
    for (let i = active.length - 1; i >= 0; i--) if (this.#isDone(active[i] as Row)) this.#finish(i)
  }

  #isDone(row: Row): boolean {
    const { stopToken, maxNewTokens } = this.#request
    const positionsEnd = row.cached + 1 >= this.#config.maxPositions
    return row.next === stopToken || row.tokens.length >= maxNewTokens || positionsEnd
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
      ended: row.next === this.#request.stopToken,
    }
  }

  /**
   * The graph's inputs but for the cache.
   *
   * @param tokens - `[B, length]`; row b holds positions `lastPositions[b] - length + 1` on when decoding, 0 on in a prefill.
   */
  #inputs(tokens: BigInt64Array, lastPositions: Int32Array, length: number) {
    const rows = lastPositions.length
    const decoding = length === 1
    const { temperature } = this.#request
    const positions = BigInt64Array.from({ length: rows * length }, (_, i) =>
      BigInt(decoding ? (lastPositions[i] as number) : i % length),
    )
    const last = BigInt64Array.from(lastPositions, (position, b) => BigInt(decoding ? b : b * length + position))
    const longest = decoding ? Math.max(...lastPositions) + 1 : length
    const uniforms = Float32Array.from({ length: rows }, (_, i) => (decoding ? this.#uniform(this.#rowAt(i)) : 0.5))
    return {
      tokens: tensor('i64', tokens, [rows, length]),
      positions: tensor('i64', positions, [rows, length]),
      last: tensor('i64', last, [rows]),
      lengths: tensor('i32', lastPositions, [rows]),
      longest: tensor('i32', Int32Array.of(longest), []),
      ...this.#rope,
      uniforms: tensor('f32', uniforms, [rows, 1]),
      inverseTemperature: tensor('f32', Float32Array.of(temperature === 0 ? 1 : 1 / temperature), []),
      greedy: tensor('bool', Uint8Array.of(temperature === 0 ? 1 : 0), []),
    }
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
