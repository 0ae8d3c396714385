import {
  type Completion,
  type DrawReader,
  type Generator,
  type SequenceDraws,
  samplingTolerances,
  verifySampling,
} from '../../../node/model/src/model/index.ts'
import type { TestedPolicy } from './policies.ts'

export const SEED = 'proof'
export const SAMPLES = 8

export interface Sampling {
  readonly prompts: readonly Int32Array[]
  readonly temperature: number
  readonly topP?: number
  readonly maxNewTokens: number
  readonly stopToken: number
  readonly moreStopTokens: readonly number[]
}

/** A completion, and the numbers of the random stream that it was to be drawn with. */
export interface Leaf {
  readonly prompt: Int32Array
  readonly place: { readonly prompt: number; readonly sample: number }
  readonly tokens: Int32Array
  readonly logprobs: Float32Array
}

/** Prompts in one call, in turns: a leaf must not depend on them. */
const CALLS = [1, 3, 8, 25]

/**
 * Leaves of `count` prompts, each with its own random stream.
 *
 * @param sampleNumbers - of the streams; other ones give what a solver would get that tries again.
 */
export async function sampleLeaves(
  generator: Generator,
  sampling: Sampling,
  count: number,
  sampleNumbers = Array.from({ length: SAMPLES }, (_, i) => i),
): Promise<Leaf[]> {
  const leaves: Leaf[] = []
  for (let at = 0, call = 0; at < count; call++) {
    const numbers = Array.from({ length: Math.min(CALLS[call % CALLS.length] as number, count - at) }, (_, i) => at + i)
    const prompts = numbers.map(number => sampling.prompts[number % sampling.prompts.length] as Int32Array)
    const streams = { seed: SEED, promptNumbers: numbers, sampleNumbers }
    const completions = await generator.generate({ ...sampling, prompts, samplesPerPrompt: SAMPLES, ...streams })
    leaves.push(
      ...completions.map((one, i) =>
        leafOf(one, prompts, { prompt: numbers[one.prompt] as number, sample: i % SAMPLES }),
      ),
    )
    at += numbers.length
  }
  return leaves
}

function leafOf({ prompt, tokens, logprobs }: Completion, prompts: readonly Int32Array[], place: Leaf['place']): Leaf {
  return { prompt: prompts[prompt] as Int32Array, place, tokens, logprobs }
}

export function readLeaves(reader: DrawReader, leaves: readonly Leaf[], temperature: number): Promise<SequenceDraws[]> {
  const sequences = leaves.map(({ prompt, place, tokens }) => ({
    tokens: Int32Array.of(...prompt, ...tokens),
    from: prompt.length,
    place,
  }))
  return reader.read(sequences, { temperature, seed: SEED })
}

export interface Checked {
  /** Whether the leaf follows from its seed: one with a token that was forgiven is replayed by the kernels that sampled. */
  readonly follows: boolean
  readonly replayed: boolean
}

/** Checks each leaf as an evaluator with the policy and the same kernels does. */
export async function checkLeaves(
  { policy, reader, replay, sampling }: Checker,
  leaves: readonly Leaf[],
): Promise<Checked[]> {
  const draws = await readLeaves(reader, leaves, sampling.temperature)
  const checked: Checked[] = []
  for (const [i, leaf] of leaves.entries()) {
    const verdict = verifySampling(draws[i] as SequenceDraws, leaf.logprobs, samplingTolerances[policy.precision])
    const replayed = verdict.follows === true && verdict.forgiven > 0
    const follows = replayed ? await replays(replay, sampling, leaf) : verdict.follows === true
    checked.push({ follows, replayed })
  }
  return checked
}

export interface Checker {
  readonly policy: TestedPolicy
  readonly reader: DrawReader
  readonly replay: Generator
  readonly sampling: Sampling
}

/** Whether the leaf's tokens come again, alone: on one kind of machine they do, bit for bit. */
async function replays(generator: Generator, sampling: Sampling, { prompt, place, tokens }: Leaf): Promise<boolean> {
  const streams = { seed: SEED, promptNumbers: [place.prompt], sampleNumbers: [place.sample] }
  const [again] = await generator.generate({ ...sampling, prompts: [prompt], samplesPerPrompt: 1, ...streams })
  return again !== undefined && sameTokens(again.tokens.slice(0, tokens.length), tokens)
}

export const sameTokens = (a: Int32Array, b: Int32Array) => a.length === b.length && a.every((x, i) => x === b[i])
