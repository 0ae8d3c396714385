import type { Device } from '#engine/device.ts'
import { createSession, tensor } from '#engine/session.ts'
import { adaptedParts, fedFactors } from '../adaptedGenerator.ts'
import { checkOptions, runSchema, scoreSchema, sequencesSchema } from '../checkOptions.ts'
import type { DecoderConfig } from '../decoderConfig.ts'
import type { Freeze } from '../frozenParts.ts'
import { createFixedSession } from '../liveSession.ts'
import type { LoraAdapter } from '../loraFactors.ts'
import { ModelInputError } from '../modelErrors.ts'
import { buildDrawsModel } from '../scoringGraph.ts'
import { runScoringTasks, type SequenceToScore, sequenceTask } from '../scoringTasks.ts'

/** Where the tokens of a sequence lie in the distributions that they were drawn from. Arrays of `tokens.length - from`. */
export interface SequenceDraws {
  /** Log-probability of each token. */
  readonly logprobs: Float32Array
  /** Probability of all tokens with a smaller id: a uniform in [below, below + exp(logprob)) draws the token. */
  readonly below: Float32Array
}

export interface DrawReader {
  /**
   * Reads sequences by teacher forcing, one prefill each, in the order given. As reproducible as `Scorer.score`.
   *
   * @param options.temperature - that the tokens were drawn with, above 0.
   * @throws {ModelInputError} on an unknown token, a `from` outside the sequence, temperature 0, or more tokens than there are
   *   positions or memory.
   */
  read(
    sequences: readonly SequenceToScore[],
    options: { readonly temperature: number; readonly signal?: AbortSignal },
  ): Promise<SequenceDraws[]>
  dispose(): Promise<void>
}

/**
 * Makes a reader of a policy's draws.
 *
 * @param freeze - the policy's weights, or its base's.
 * @param options.adapter - over the base; its factors are read in place.
 */
export async function createDrawReader(
  config: DecoderConfig,
  freeze: Freeze,
  options: { adapter?: LoraAdapter; threads?: number; device?: Device } = {},
): Promise<DrawReader> {
  const { adapter, ...run } = options
  checkOptions(runSchema, run, 'createDrawReader')
  const { threads = 2, device } = run
  const parts = adapter ? adaptedParts(config, freeze, adapter) : freeze
  const made = await createSession(buildDrawsModel(config, parts, device), { threads })
  const live = createFixedSession(adapter ? fedFactors(made, adapter) : made)
  const outputs = ['logprobs', 'below'] as const
  return {
    async read(sequences, { temperature, ...rest }) {
      checkOptions(sequencesSchema, sequences, 'read')
      checkOptions(scoreSchema, rest, 'read')
      if (!(temperature > 0)) throw greedy(temperature)
      const tasks = sequences.map((sequence, i) => sequenceTask(config, sequence, i))
      const feeds = { inverseTemperature: tensor('f32', Float32Array.of(1 / temperature), []) }
      return live.use(session => runScoringTasks({ config, session, outputs, feeds }, tasks, 'sequence', rest.signal))
    },
    dispose: () => live.dispose(),
  }
}

const greedy = (temperature: number) =>
  new ModelInputError(`tokens of temperature ${temperature} are not drawn`, {
    hint: 'Sample at a temperature above 0 where sampling is to be checked.',
  })
