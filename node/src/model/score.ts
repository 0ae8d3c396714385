import { setImmediate } from 'node:timers/promises'
import type { Device } from '#engine/device.ts'
import { type Session, type Tensor, tensor } from '#engine/session.ts'
import { beyondMemory, longSequenceBytes } from './beyondMemory.ts'
import { checkOptions, choicesSchema, runSchema, scoreSchema, sequencesSchema } from './checkOptions.ts'
import type { DecoderConfig } from './decoderConfig.ts'
import { bakedParts } from './frozenParts.ts'
import { createLiveSession, type SessionQueue } from './liveSession.ts'
import { ModelInputError } from './modelErrors.ts'
import { ropeTables } from './rope.ts'
import { buildScoringModel } from './scoringGraph.ts'
import { type ScoringRun, type ScoringTask, scoringRuns } from './scoringRuns.ts'
import { checkWeights, type Weights } from './weights.ts'

export interface SequenceToScore {
  readonly tokens: Int32Array
  /** Index of the first token that is scored, >= 1; all from it on are. */
  readonly from: number
}

/** Arrays of `tokens.length - from`. */
export interface SequenceScores {
  /** Log-probability of each token given those before it, at temperature 1. */
  readonly logprobs: Float32Array
  /** Log-probability of the best token minus that of the given one, >= 0. */
  readonly gaps: Float32Array
}

/** Which of some tokens comes next? */
export interface TokenChoice {
  /** What the model has read, at least one token. */
  readonly tokens: Int32Array
  readonly candidates: readonly number[]
}

export interface Scorer {
  /**
   * Scores sequences by teacher forcing, in the order given.
   *
   * The scores of a sequence depend on it and the model only, bit for bit on one kind of machine, whatever else is in the call and
   * however many threads work. Calls wait for each other.
   *
   * @throws {ModelInputError} on an unknown token, a `from` outside the sequence, or more tokens than there are positions, or
   *   memory: attention's grows with their square.
   */
  score(sequences: readonly SequenceToScore[], options?: { signal?: AbortSignal }): Promise<SequenceScores[]>
  /**
   * Log-probabilities of a few next tokens, reading what comes before them once: `1 / (1 + exp(b - a))` is the probability of the
   * first of two against the second. As reproducible as `score`.
   *
   * @returns [candidates.length] for each choice.
   * @throws {ModelInputError} on an unknown token, none, or more tokens than there are positions, or memory.
   */
  choose(choices: readonly TokenChoice[], options?: { signal?: AbortSignal }): Promise<Float32Array[]>
  dispose(): Promise<void>
}

/**
 * Makes a scorer of weights in memory, which may be changed in place between calls. See `loadScorer` for large models.
 *
 * @param options.threads - for one product; the scores do not depend on it. 1 by default, as for a generator.
 * @throws {ModelFileError} if a weight is missing or misshapen.
 */
export function createScorer(
  config: DecoderConfig,
  weights: Weights,
  options: { threads?: number; device?: Device } = {},
): Scorer {
  checkOptions(runSchema, options, 'createScorer')
  const { threads = 1, device = 'cpu' } = options
  checkWeights(config, weights, 'weights')
  const build = (of: Weights) => buildScoringModel(config, bakedParts(config, of), ['logprobs', 'gaps'], device)
  return scorerOn(config, createLiveSession(weights, build, { threads }))
}

/** A scorer on a session of `buildScoringModel`. */
export function scorerOn(config: DecoderConfig, live: SessionQueue): Scorer {
  const runAll = (tasks: readonly ScoringTask[], what: string, signal: AbortSignal | undefined) =>
    live.use(async session => {
      requireMemory(config, tasks, what)
      const scores: SequenceScores[] = []
      for (const run of scoringRuns(config, tasks)) {
        signal?.throwIfAborted()
        const results = await scoreRun(config, session, run)
        for (const [b, i] of run.indices.entries()) scores[i] = results[b] as SequenceScores
        await setImmediate() // runs block the thread: let an abort in
      }
      return scores
    })
  return {
    async score(sequences, options = {}) {
      checkOptions(sequencesSchema, sequences, 'score')
      checkOptions(scoreSchema, options, 'score')
      const tasks = sequences.map((sequence, i) => sequenceTask(config, sequence, i))
      return runAll(tasks, 'sequence', options.signal)
    },
    async choose(choices, options = {}) {
      checkOptions(choicesSchema, choices, 'choose')
      checkOptions(scoreSchema, options, 'choose')
      const tasks = choices.map((choice, i) => choiceTask(config, choice, i))
      return (await runAll(tasks, 'choice', options.signal)).map(({ logprobs }) => logprobs)
    },
    dispose: () => live.dispose(),
  }
}

function sequenceTask(config: DecoderConfig, { tokens, from }: SequenceToScore, index: number): ScoringTask {
  if (!Number.isInteger(from) || from < 1 || from > tokens.length)
    throw refuse(`sequence ${index} is scored from ${from} of ${tokens.length}`)
  checkTokens(config, tokens, tokens.length - 1, `sequence ${index}`)
  const targets = tokens.subarray(from)
  return { read: tokens.subarray(0, -1), targets, positions: Int32Array.from(targets, (_, i) => from + i - 1) }
}

function choiceTask(config: DecoderConfig, { tokens, candidates }: TokenChoice, index: number): ScoringTask {
  if (tokens.length === 0) throw refuse(`choice ${index} has no tokens`)
  const targets = Int32Array.from(candidates)
  checkTokens(config, tokens, tokens.length, `choice ${index}`)
  checkTokens(config, targets, 0, `choice ${index}`)
  return { read: tokens, targets, positions: new Int32Array(targets.length).fill(tokens.length - 1) }
}

function checkTokens(config: DecoderConfig, tokens: Int32Array, read: number, what: string): void {
  if (read > config.maxPositions) throw refuse(`${what} has ${read} tokens for ${config.maxPositions} positions`)
  const unknown = tokens.find(token => token < 0 || token >= config.vocabSize)
  if (unknown !== undefined) throw refuse(`${what} has token ${unknown} of a vocabulary of ${config.vocabSize}`)
}

/** A run has one sequence, or several that are short: the longest are looked at, each alone. */
function requireMemory(config: DecoderConfig, tasks: readonly ScoringTask[], what: string): void {
  const bytes = tasks.map(({ read, targets }) => longSequenceBytes(config, read.length, targets.length))
  const largest = bytes.reduce((most, count, i) => (count > (bytes[most] as number) ? i : most), 0)
  const problem = beyondMemory(bytes[largest] ?? 0)
  if (problem === undefined) return
  throw new ModelInputError(`${tasks[largest]?.read.length} tokens of ${what} ${largest} at once ${problem}`, {
    hint: 'Score shorter sequences, or fewer tokens of each, or free some memory.',
  })
}

const refuse = (message: string) =>
  new ModelInputError(message, { hint: 'Check that the tokens come from this model’s tokenizer and fit its length.' })

async function scoreRun(config: DecoderConfig, session: Session, run: ScoringRun): Promise<SequenceScores[]> {
  const { ids, rows, targets, length, tasks } = run
  const { cos, sin } = ropeTables(config, length)
  const outputs = await session.run({
    ids: tensor('i64', ids, [tasks.length, length]),
    cos: tensor('f32', cos, [length, config.headDim]),
    sin: tensor('f32', sin, [length, config.headDim]),
    rows: tensor('i64', rows, [rows.length]),
    targets: tensor('i64', targets, [targets.length]),
  })
  let at = 0
  return tasks.map(task => {
    const [start, end] = [at, at + task.targets.length]
    at = end
    const part = (name: string) => (outputs[name] as Tensor<'f32'>).data.slice(start, end)
    return { logprobs: part('logprobs'), gaps: part('gaps') }
  })
}
