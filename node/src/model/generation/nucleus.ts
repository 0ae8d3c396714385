import type { Draw } from './samplingFilters.ts'

/** Tokens that are drawn from under top-p: those before which likelier tokens have less than that share (arXiv:1904.09751). */
interface Nucleus {
  /** Probability of its least likely tokens: all at least as likely are in it. */
  readonly least: number
  /** Probability of all its tokens. */
  readonly mass: number
}

/** Bits of a float32 that are dropped to number its bin: 16 bins for each power of two. */
const BIN_SHIFT = 19
const BINS = 1 << (31 - BIN_SHIFT)

/** Probabilities of a vocabulary in bins of like ones, so that nothing but one bin has to be sorted. */
export class NucleusSearch {
  readonly #probabilities: Float32Array
  readonly #bits: Uint32Array
  readonly #masses = new Float64Array(BINS)
  readonly #total: number

  /** @param probabilities - [V], at least 0; their sum need not be exactly 1. */
  constructor(probabilities: Float32Array) {
    this.#probabilities = probabilities
    this.#bits = new Uint32Array(probabilities.buffer, probabilities.byteOffset, probabilities.length)
    let total = 0
    for (let i = 0; i < probabilities.length; i++) {
      const p = probabilities[i] as number
      const bin = (this.#bits[i] as number) >>> BIN_SHIFT
      this.#masses[bin] = (this.#masses[bin] as number) + p
      total += p
    }
    this.#total = total
  }

  /** @param topP - above 0; from 1 on all tokens are in the nucleus. */
  nucleus(topP: number): Nucleus {
    const due = topP * this.#total
    let [bin, above] = [BINS - 1, 0]
    for (; bin > 0 && above + (this.#masses[bin] as number) < due; bin--) above += this.#masses[bin] as number
    const values = this.#sorted(bin)
    let [least, mass] = [values[0] ?? 0, above]
    for (const value of values) {
      // Equally likely tokens are in it together.
      if (value < least && mass >= due) break
      least = value
      mass += value
    }
    return { least, mass }
  }

  /** Share of the tokens that are likelier than this. */
  likelierThan(probability: number): number {
    let mass = 0
    for (const p of this.#probabilities) if (p > probability) mass += p
    return mass / this.#total
  }

  /** Values of a bin, the largest first. */
  #sorted(bin: number): Float32Array {
    const values: number[] = []
    for (let i = 0; i < this.#bits.length; i++)
      if ((this.#bits[i] as number) >>> BIN_SHIFT === bin) values.push(this.#probabilities[i] as number)
    return Float32Array.from(values).sort().reverse()
  }
}

/**
 * Draws a token of the nucleus by the inverse of the cumulative distribution, tokens by number: whoever knows the random number finds
 * the token again where kernels differ in the last bits, which would change an order by probability.
 *
 * @param probabilities - [V].
 * @param uniform - in (0, 1).
 * @returns with the log-probability within the nucleus.
 */
export function drawFromNucleus(probabilities: Float32Array, topP: number, uniform: number): Draw {
  const { least, mass } = new NucleusSearch(probabilities).nucleus(topP)
  const target = uniform * mass
  let [token, running] = [0, 0]
  for (let i = 0; i < probabilities.length; i++) {
    const p = probabilities[i] as number
    if (p < least) continue
    token = i
    running += p
    if (running > target) break
  }
  return { token, logprob: Math.log((probabilities[token] as number) / mass) }
}

/** The likeliest tokens of a vocabulary, and the sum of the probabilities of all. */
export interface LikelyTokens {
  /** The largest first. */
  readonly probabilities: Float32Array
  readonly tokens: BigInt64Array
  readonly total: number
  /** Whether these are all tokens there are. */
  readonly isWhole: boolean
}

/**
 * `drawFromNucleus` from the likeliest tokens alone.
 *
 * @returns the same draw; or null where these tokens may not hold the whole nucleus, whose last tokens have the share to reach, or are as likely as
 *   others that are not here.
 */
export function drawFromLikely(
  { probabilities, tokens, total, isWhole }: LikelyTokens,
  topP: number,
  uniform: number,
): Draw | null {
  const due = topP * total
  let [count, mass] = [0, 0]
  for (; count < probabilities.length; count++) {
    const p = probabilities[count] as number
    if (mass >= due && p < (probabilities[count - 1] as number)) break
    mass += p
  }
  if (count === probabilities.length && !isWhole) return null
  const byNumber = Array.from({ length: count }, (_, i) => i).sort((a, b) =>
    Number((tokens[a] as bigint) - (tokens[b] as bigint)),
  )
  const target = uniform * mass
  let [chosen, running] = [byNumber[0] as number, 0]
  for (const i of byNumber) {
    chosen = i
    running += probabilities[i] as number
    if (running > target) break
  }
  return { token: Number(tokens[chosen]), logprob: Math.log((probabilities[chosen] as number) / mass) }
}
