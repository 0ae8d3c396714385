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

  /** In (0, 1), uniform, and less than the token's time. */
  early(token: number): number {
    return (wordOf(token, this.#a, this.#b) + 0.5) * 2 ** -32
  }

  time(token: number): number {
    return -Math.log1p(-this.early(token))
  }

  /**
   * The token that wins, and the sum of the probabilities of all that run, in the order of their numbers.
   *
   * @param probabilities - [V], of any sum.
   * @param least - tokens that are less likely do not run.
   */
  winner(probabilities: Float32Array, least: number): { readonly token: number; readonly mass: number } {
    const [a, b] = [this.#a, this.#b]
    let [token, soonest, mass] = [0, Number.POSITIVE_INFINITY, 0]
    // The same as `soonest`, in words of a token: a power of two changes no bit.
    let due = Number.POSITIVE_INFINITY
    for (let i = 0; i < probabilities.length; i++) {
      const p = probabilities[i] as number
      if (!(p >= least)) continue
      mass += p
      // Most tokens lose without computing a logarithm.
      if (!(wordOf(i, a, b) + 0.5 < due * p)) continue
      const at = this.time(i) / p
      if (at < soonest) [token, soonest, due] = [i, at, at * 2 ** 32]
    }
    return { token, mass }
  }

  /**
   * Tokens with a number below `size` that `early` puts before a bound, in any order.
   *
   * A token's word can be inverted, so either all tokens are tried or all words below the bound, whichever are fewer.
   */
  before(bound: number, size: number): number[] {
    const [a, b] = [this.#a, this.#b]
    const words = Math.ceil(Math.min(bound, 1) * 2 ** 32 - 0.5)
    const found: number[] = []
    if (words < size)
      for (let word = 0; word < words; word++) {
        const token = unmixed(unmixed(word) ^ b) ^ a
        if (token >= 0 && token < size) found.push(token)
      }
    else for (let token = 0; token < size; token++) if (wordOf(token, a, b) < words) found.push(token)
    return found
  }
}

/** A token's word in a draw with two random words: different for different tokens. */
const wordOf = (token: number, a: number, b: number) => mixed(mixed(token ^ a) ^ b)

/** Bits of a word, each of which depends on all of them: the last step of MurmurHash3. */
function mixed(word: number): number {
  let x = word ^ (word >>> 16)
  x = Math.imul(x, 0x85ebca6b)
  x ^= x >>> 13
  x = Math.imul(x, 0xc2b2ae35)
  return (x ^ (x >>> 16)) >>> 0
}

/** The word, signed, that `mixed` makes another of: shifts are undone by shifts, and odd factors by their inverses modulo 2^32. */
function unmixed(word: number): number {
  let x = Math.imul(word ^ (word >>> 16), 0x7ed1b41d)
  x = Math.imul(x ^ (x >>> 13) ^ (x >>> 26), 0xa5cb9243)
  return x ^ (x >>> 16)
}

/**
 * The draws of one request: the key of each is Philox4x32-10 at (step, sample, prompt, 0), keyed by the seed. A draw does not depend on the rest of the
 * batch, so anyone who knows the seed can repeat it.
 */
export function tokenRaces(seed: Seed): (draw: TokenDraw) => Race {
  const key = streamKey('waggle/generate', seed)
  return ({ prompt, sample, step }) => new Race(philox4x32([step, sample, prompt, 0], key))
}
