import { openUniform, philox4x32, type Seed, streamKey } from '#core/random.ts'

/** Which random number of a request a token is drawn with. */
export interface TokenDraw {
  /** Number of the prompt's random stream (`GenerateOptions.promptNumbers`), of the sample, and of the token in its completion. */
  readonly prompt: number
  readonly sample: number
  readonly step: number
}

/**
 * The random numbers of one request, in (0, 1): Philox4x32-10 at (step, sample, prompt, 0), keyed by the seed. A token's number
 * is the same whoever else is in the batch, so that anyone who knows the seed can compute it.
 */
export function tokenUniforms(seed: Seed): (draw: TokenDraw) => number {
  const key = streamKey('waggle/generate', seed)
  return ({ prompt, sample, step }) => openUniform(philox4x32([step, sample, prompt, 0], key)[0])
}
