import type { Device } from '#engine/devices/device.ts'
import { createSession, tensor } from '#engine/session.ts'
import { checkOptions, runSchema, scoreSchema, sequencesSchema } from '../checkOptions.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { adaptedParts, adaptedSession } from '../generation/adaptedGenerator.ts'
import { createFixedSession } from '../liveSession.ts'
import type { LoraAdapter } from '../lora/loraFactors.ts'
import { ModelInputError } from '../modelErrors.ts'
import type { Freeze } from '../quantization/frozenParts.ts'
import { buildDrawsModel } from '../scoring/scoringGraph.ts'
import type { ScoringTask } from '../scoring/scoringRuns.ts'
import { runScoringTasks, type SequenceToScore, sequenceTask } from '../scoring/scoringTasks.ts'
import { type NucleusPlace, placeInNucleus } from './placeInNucleus.ts'

/** Where the tokens of a sequence lie in the distributions that they were drawn from. Arrays of `tokens.length - from`. */
export interface SequenceDraws {
  /** Log-probability of each token. */
  readonly logprobs: Float32Array
  /** Probability of all tokens with a smaller id: a uniform in [below, below + exp(logprob)) draws the token. */
  readonly below: Float32Array
  /** Under top-p, where both others are of the nucleus; see `NucleusPlace`. */
  readonly edge?: { readonly outside: Float32Array; readonly unsure: Float32Array }
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
 * @param options.topP - that the tokens were drawn with; 1.
 */
export async function createDrawReader(
  config: DecoderConfig,
  freeze: Freeze,
  options: { adapter?: LoraAdapter; topP?: number; threads?: number; device?: Device } = {},
): Promise<DrawReader> {
  const { adapter, topP = 1, ...run } = options
  checkOptions(runSchema, run, 'createDrawReader')
  const { threads = 2, device } = run
  const parts = adapter ? adaptedParts(config, freeze, adapter) : freeze
  const whole = topP < 1
  const made = await createSession(buildDrawsModel(config, parts, { whole, device }), { threads })
  const live = adapter ? adaptedSession(made, adapter) : createFixedSession(made)
  return {
    async read(sequences, { temperature, ...rest }) {
      checkOptions(sequencesSchema, sequences, 'read')
      checkOptions(scoreSchema, rest, 'read')
      if (!(temperature > 0)) throw greedy(temperature)
      const tasks = sequences.map((sequence, i) => sequenceTask(config, sequence, i))
      const feeds = { inverseTemperature: tensor('f32', Float32Array.of(1 / temperature), []) }
      return live.use(session => {
        const run = { config, session, feeds }
        return whole
          ? runScoringTasks({ ...run, outputs: ['probabilities'] }, tasks, 'sequence', rest.signal, nucleusDraws(topP))
          : runScoringTasks({ ...run, outputs: ['logprobs', 'below'] }, tasks, 'sequence', rest.signal)
      })
    },
    dispose: () => live.dispose(),
  }
}

/** Reads the places of a sequence's tokens in their nuclei: probabilities are [targets.length, V]. */
const nucleusDraws =
  (topP: number) =>
  ({ probabilities }: { readonly probabilities: Float32Array }, { targets }: ScoringTask): SequenceDraws => {
    const size = probabilities.length / targets.length
    const places = Array.from(targets, (token, i) =>
      placeInNucleus(probabilities.subarray(i * size, (i + 1) * size), topP, token),
    )
    const all = (figure: keyof NucleusPlace) => Float32Array.from(places, place => place[figure])
    return { logprobs: all('logprob'), below: all('below'), edge: { outside: all('outside'), unsure: all('unsure') } }
  }

const greedy = (temperature: number) =>
  new ModelInputError(`tokens of temperature ${temperature} are not drawn`, {
    hint: 'Sample at a temperature above 0 where sampling is to be checked.',
  })
