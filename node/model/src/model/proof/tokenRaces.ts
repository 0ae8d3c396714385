import { philox4x32, type Seed, streamKey } from '#base/random.ts'

/** A draw of a request. */
export interface TokenDraw {
  /** Number of the prompt's random stream (`GenerateOptions.promptNumbers`), of the sample, and of the token in its completion. */
  readonly prompt: number
  readonly sample: number
  readonly step: number
}

/**
 * A draw as a race: each token has a time, exponential with mean 1, and the token with the least time over probability wins. So a token wins
 * with its probability. A token's time depends only on its number and the draw's key.
 *
 * For any distribution, two tokens are rarely close: another token is less than x nats behind the first with a probability below x. So a check by
 * other kernels with a tolerance of x leaves a sampler almost no choice.
 *
 * @see Maddison et al., A* Sampling, arXiv:1411.0030, for the race; its times are those of Gumbel's trick, as exponentials.
 */
export class Race {
  readonly #a: number
  readonly #b: number

  /** @param key - two random words. */
  constructor([a, b]: readonly [number, number, ...number[]]) {
    this.#a = a
    this.#b = b
  }

  /** In (0, 1), uniform, and no more than the token's time. */
  early(token: number): number {
    return (mixed(mixed(token ^ this.#a) ^ this.#b) + 0.5) * 2 ** -32
  }

  time(token: number): number {
    return -Math.log1p(-this.early(token))
  }
}

/** Bits of a word, each of which depends on all of them: the last step of MurmurHash3. */
function mixed(word: number): number {
  let x = word ^ (word >>> 16)
  x = Math.imul(x, 0x85ebca6b)
  x ^= x >>> 13
  x = Math.imul(x, 0xc2b2ae35)
  return (x ^ (x >>> 16)) >>> 0
}

/**
 * The draws of one request: the key of each is Philox4x32-10 at (step, sample, prompt, 0), keyed by the seed. A draw does not depend on the rest of the
 * batch, so anyone who knows the seed can repeat it.
 */
export function tokenRaces(seed: Seed): (draw: TokenDraw) => Race {
  const key = streamKey('waggle/generate', seed)
  return ({ prompt, sample, step }) => new Race(philox4x32([step, sample, prompt, 0], key))
}

/**
 * The token that wins a race.
 *
 * @param probabilities - [V], of any sum.
 * @param least - tokens that are less likely do not run.
 */
export function winnerOf(probabilities: Float32Array, least: number, race: Race): number {
  let [token, soonest] = [0, Number.POSITIVE_INFINITY]
  for (let i = 0; i < probabilities.length; i++) {
    const p = probabilities[i] as number
    // Most tokens lose without computing a logarithm.
    if (!(p >= least && race.early(i) < soonest * p)) continue
    const at = race.time(i) / p
    if (at < soonest) [token, soonest] = [i, at]
  }
  return token
}
