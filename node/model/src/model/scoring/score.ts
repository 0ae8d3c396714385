import type { Device } from '#engine/devices/device.ts'
import { checkOptions, choicesSchema, runSchema, scoreSchema, sequencesSchema } from '../checkOptions.ts'
import { requireConstants } from '../decoder/constantWeights.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { checkWeights, type Weights } from '../decoder/weights.ts'
import { createLiveSession, type SessionQueue } from '../liveSession.ts'
import { bakedParts } from '../quantization/frozenParts.ts'
import { buildScoringModel } from './scoringGraph.ts'
import type { ScoringTask } from './scoringRuns.ts'
import { choiceTask, runScoringTasks, type SequenceToScore, sequenceTask, type TokenChoice } from './scoringTasks.ts'

/** Arrays of `tokens.length - from`. */
export interface SequenceScores {
  /** Log-probability of each token given those before it, at temperature 1. */
  readonly logprobs: Float32Array
  /** Log-probability of the best token minus that of the given one, >= 0. */
  readonly gaps: Float32Array
}

export interface Scorer {
  /**
   * Scores sequences by teacher forcing, in the order given.
   *
   * The scores of a sequence depend only on it and the model, bit for bit on one kind of machine, not on the rest of the call or the number
   * of threads. Calls run one after another.
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
 * @throws {ModelInputError} if the weights take 2 GiB or more.
 */
export function createScorer(
  config: DecoderConfig,
  weights: Weights,
  options: { threads?: number; device?: Device } = {},
): Scorer {
  checkOptions(runSchema, options, 'createScorer')
  const { threads = 1, device = 'cpu' } = options
  checkWeights(config, weights, 'weights')
  requireConstants(weights)
  const build = (of: Weights) => buildScoringModel(config, bakedParts(config, of), ['logprobs', 'gaps'], device)
  return scorerOn(config, createLiveSession(weights, build, { threads }))
}

/** A scorer on a session of `buildScoringModel`. */
export function scorerOn(config: DecoderConfig, live: SessionQueue): Scorer {
  const outputs = ['logprobs', 'gaps'] as const
  const runAll = (tasks: readonly ScoringTask[], what: string, signal: AbortSignal | undefined) =>
    live.use(session => runScoringTasks({ config, session, outputs }, tasks, what, signal))
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
