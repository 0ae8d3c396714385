import type { Draw } from './samplingFilters.ts'
import type { Race } from './tokenRaces.ts'

/**
 * Tokens that are less likely than the last of a nucleus by at most this share are in it too. Kernels whose probabilities differ by less than
 * half of it disagree only on tokens with a total probability of 1 - `topP`, for any distribution.
 */
export const TIED = 0.01

/** Bits of a float32 that are dropped to number its bin: 16 bins for each power of two. */
const BIN_SHIFT = 19
const BINS = 1 << (31 - BIN_SHIFT)

/** Probabilities of a vocabulary in bins of similar size, so that only one bin has to be sorted. */
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

  /**
   * Probability from which on tokens are drawn from under top-p: those before which likelier tokens have less than that share (arXiv:1904.09751), and those
   * tied with the last.
   *
   * @param topP - above 0; from 1 on all tokens are in the nucleus.
   */
  least(topP: number): number {
    return this.last(topP) / (1 + TIED)
  }

  /** Probability of the token with which a share is reached, the likeliest first; 0 from 1 on. */
  last(topP: number): number {
    if (topP >= 1) return 0
    const due = topP * this.#total
    let [bin, above] = [BINS - 1, 0]
    for (; bin > 0 && above + (this.#masses[bin] as number) < due; bin--) above += this.#masses[bin] as number
    return lastOf(valuesIn(this.#probabilities, this.#bits, bin, BIN_SHIFT), BIN_SHIFT, above, due)
  }
}

/** Values of a bin. Its number is in their bits from `shift` on; `mask` leaves out those of coarser bins. */
function valuesIn(values: Float32Array, bits: Uint32Array, bin: number, shift: number, mask = -1): Float32Array {
  const found = new Float32Array(values.length)
  let count = 0
  for (let i = 0; i < values.length; i++)
    if ((((bits[i] as number) >>> shift) & mask) === bin) found[count++] = values[i] as number
  return found.subarray(0, count)
}

/** Most values that are sorted: a malicious policy may put a whole vocabulary into one bin. */
const SORTED = 1024
/** Bits by which more of them are put into finer bins. */
const FINER_BITS = 10

/**
 * The value with which a share is reached, the largest first.
 *
 * @param values - equal except for their lowest bits.
 * @param bits - number of those bits.
 * @param above - sum of the larger values.
 */
function lastOf(values: Float32Array, bits: number, above: number, due: number): number {
  if (values.length > SORTED && bits > 0) {
    const shift = Math.max(0, bits - FINER_BITS)
    const words = new Uint32Array(values.buffer, values.byteOffset, values.length)
    const masses = new Float64Array(1 << (bits - shift))
    const mask = masses.length - 1
    for (let i = 0; i < values.length; i++) {
      const bin = ((words[i] as number) >>> shift) & mask
      masses[bin] = (masses[bin] as number) + (values[i] as number)
    }
    let bin = -1
    for (let next = masses.length - 1; next >= 0; next--) {
      const mass = masses[next] as number
      if (mass === 0) continue
      // Rounding may leave the least of them short of the share.
      bin = next
      if (above + mass >= due) break
      above += mass
    }
    return lastOf(valuesIn(values, words, bin, shift, mask), shift, above, due)
  }
  if (bits > 0) values.sort().reverse()
  for (const value of values) {
    above += value
    if (above >= due) return value
  }
  return values.at(-1) ?? 0
}

/**
 * Draws a token of the nucleus by a race.
 *
 * @param probabilities - [V].
 * @returns with the log-probability within the nucleus.
 */
export function drawFromNucleus(probabilities: Float32Array, topP: number, race: Race): Draw {
  const least = topP < 1 ? new NucleusSearch(probabilities).least(topP) : 0
  const { token, mass } = race.winner(probabilities, least)
  return { token, logprob: Math.log((probabilities[token] as number) / mass) }
}
