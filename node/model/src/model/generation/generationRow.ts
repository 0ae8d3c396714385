/** An unfinished completion. Its cache row is its index among the active ones. */
export interface GenerationRow {
  /** Indices of the prompt and of the sample. */
  readonly prompt: number
  readonly sample: number
  readonly tokens: number[]
  readonly logprobs: number[]
  /** Positions in the cache. */
  cached: number
  /** Token to be fed at position `cached`. */
  next: number
}
