import type { Seed } from '#base/random.ts'
import type { Device } from '#engine/devices/device.ts'
import { createSession, type Feed, type Session, tensor } from '#engine/session.ts'
import { checkOptions, runSchema, scoreSchema, sequencesSchema } from '../checkOptions.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { adaptedParts, adaptedSession } from '../generation/adaptedGenerator.ts'
import { type TokenDraw, tokenRaces } from '../generation/tokenRaces.ts'
import { createFixedSession } from '../liveSession.ts'
import type { LoraAdapter } from '../lora/loraFactors.ts'
import { ModelInputError } from '../modelErrors.ts'
import type { Freeze } from '../quantization/frozenParts.ts'
import { buildDrawsModel } from '../scoring/scoringGraph.ts'
import type { ScoringTask } from '../scoring/scoringRuns.ts'
import { runScoringTasks, type SequenceToScore, sequenceTask } from '../scoring/scoringTasks.ts'
import { placeInRace, type RacePlace, type RaceRules } from './placeInRace.ts'
import { type SamplingTolerance, samplingTolerances } from './samplingTolerances.ts'

/** Places of a sequence's tokens in their races: each figure of `RacePlace` as an array of `tokens.length - from`. */
export type SequenceDraws = Readonly<Record<keyof RacePlace, Float32Array>>

/** A sequence, and the draw of its first token, which is step 0 of the sample. */
export interface SampledSequence extends SequenceToScore {
  readonly place: Omit<TokenDraw, 'step'>
}

export interface DrawReader {
  /**
   * Reads sequences by teacher forcing, one prefill each, in the order given. As reproducible as `Scorer.score`.
   *
   * @param options.temperature - that the tokens were drawn with, above 0.
   * @param options.seed - likewise.
   * @throws {ModelInputError} on an unknown token, a `from` outside the sequence, temperature 0, or more tokens than there are
   *   positions or memory.
   */
  read(
    sequences: readonly SampledSequence[],
    options: { readonly temperature: number; readonly seed: Seed; readonly signal?: AbortSignal },
  ): Promise<SequenceDraws[]>
  dispose(): Promise<void>
}

/**
 * Makes a reader of a policy's draws.
 *
 * @param freeze - the policy's weights, or its base's.
 * @param options.adapter - over the base; its factors are read in place.
 * @param options.topP - that the tokens were drawn with; 1.
 * @param options.tolerance - by which other tokens would pass; that of float32.
 */
export async function createDrawReader(
  config: DecoderConfig,
  freeze: Freeze,
  options: {
    adapter?: LoraAdapter
    topP?: number
    tolerance?: SamplingTolerance
    threads?: number
    device?: Device
  } = {},
): Promise<DrawReader> {
  const { adapter, topP = 1, tolerance = samplingTolerances.float32, ...run } = options
  checkOptions(runSchema, run, 'createDrawReader')
  const { threads = 2, device } = run
  const parts = adapter ? adaptedParts(config, freeze, adapter) : freeze
  const made = await createSession(buildDrawsModel(config, parts, device), { threads })
  const live = adapter ? adaptedSession(made, adapter) : createFixedSession(made)
  return {
    read: (sequences, draw) =>
      live.use(session => readDraws({ config, session, feeds: {} }, sequences, { topP, tolerance, ...draw })),
    dispose: () => live.dispose(),
  }
}

/** How tokens were drawn, and by how much another token may be drawn instead. */
export type DrawRules = RaceRules & {
  readonly temperature: number
  readonly seed: Seed
  readonly signal?: AbortSignal | undefined
}

/**
 * Reads sequences with a session of `buildDrawsModel`.
 *
 * @param run.feeds - inputs of the adapter, if there is one.
 */
export async function readDraws(
  { config, session, feeds }: { config: DecoderConfig; session: Session; feeds: Readonly<Record<string, Feed>> },
  sequences: readonly SampledSequence[],
  { temperature, seed, topP, tolerance, ...rest }: DrawRules,
): Promise<SequenceDraws[]> {
  checkOptions(sequencesSchema, sequences, 'read')
  checkOptions(scoreSchema, rest, 'read')
  if (!(temperature > 0)) throw greedy(temperature)
  const tasks = sequences.map((sequence, i) => ({ ...sequenceTask(config, sequence, i), place: sequence.place }))
  const inverseTemperature = tensor('f32', Float32Array.of(1 / temperature), [])
  const run = { config, session, feeds: { ...feeds, inverseTemperature }, outputs: ['probabilities'] as const }
  return runScoringTasks(run, tasks, 'sequence', rest.signal, racesOf(seed, { topP, tolerance }))
}

type RaceTask = ScoringTask & Pick<SampledSequence, 'place'>

/** Reads the places of a sequence's tokens in their races: probabilities are [targets.length, V]. */
function racesOf(seed: Seed, rules: RaceRules) {
  const raceOf = tokenRaces(seed)
  return ({ probabilities }: { readonly probabilities: Float32Array }, { targets, place }: RaceTask): SequenceDraws => {
    const size = probabilities.length / targets.length
    const places = Array.from(targets, (token, step) => {
      const row = probabilities.subarray(step * size, (step + 1) * size)
      return placeInRace(row, token, raceOf({ ...place, step }), rules)
    })
    const all = (figure: keyof RacePlace) => Float32Array.from(places, one => one[figure])
    const [logprob, behind, behindAtLeast] = [all('logprob'), all('behind'), all('behindAtLeast')]
    return { logprob, behind, behindAtLeast, unsure: all('unsure'), rivals: all('rivals') }
  }
}

const greedy = (temperature: number) =>
  new ModelInputError(`tokens of temperature ${temperature} are not drawn`, {
    hint: 'Sample at a temperature above 0 where sampling is to be checked.',
  })
