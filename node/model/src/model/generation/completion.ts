import type { Seed } from '#base/random.ts'
import type { SampledWith, SamplingFilters } from './samplingFilters.ts'

/** A drawn token. */
export interface StreamedToken {
  /** Indices of the prompt and of the sample. */
  readonly prompt: number
  readonly sample: number
  readonly token: number
  readonly logprob: number
}

export interface GenerateOptions extends SamplingFilters {
  /** Token ids of each prompt, at least one. */
  readonly prompts: readonly Int32Array[]
  readonly samplesPerPrompt: number
  /** Maximum of new tokens, including the stop token; fewer if the model's positions end. */
  readonly maxNewTokens: number
  /** Divides the logits; 0 takes the most likely token. */
  readonly temperature: number
  readonly stopToken: number
  /** Further tokens that end a completion. */
  readonly moreStopTokens?: readonly number[]
  readonly seed: Seed
  /** Number of each prompt's random stream, its index by default: replays some prompts of a larger call exactly. */
  readonly promptNumbers?: readonly number[]
  /** Number of each sample's random stream, its index by default: with `promptNumbers`, replays one completion of a larger call. */
  readonly sampleNumbers?: readonly number[]
  /** Called for every token as it is drawn, step by step over all rows. */
  readonly onToken?: (token: StreamedToken) => void
  /** Checked before every step; its reason is thrown. */
  readonly signal?: AbortSignal
}

export interface Completion {
  /** Index of the prompt. */
  readonly prompt: number
  /** New tokens, the stop token included. */
  readonly tokens: Int32Array
  /** Log-probability of each under the distribution sampled from; at temperature 0, under the model's own at temperature 1. */
  readonly logprobs: Float32Array
  /** Whether the completion ended with a stop token. */
  readonly ended: boolean
  readonly sampling: SampledWith
}
