import { TIED } from './nucleus.ts'
import type { Draw } from './samplingFilters.ts'
import type { Race } from './tokenRaces.ts'

/** The likeliest tokens of a vocabulary, and the sum of the probabilities of all. */
export interface LikelyTokens {
  /** The largest first. */
  readonly probabilities: Float32Array
  readonly tokens: BigInt64Array
  readonly total: number
  readonly vocabSize: number
}

/** A draw from the likeliest tokens, as far as they decide it. */
export interface LikelyDraw {
  /** Tokens outside that may still win: their probabilities decide. Often none. */
  readonly rivals: readonly number[]
  /** @param probabilities - of `rivals`. */
  settle(probabilities: Float32Array): Draw
}

/**
 * `drawFromNucleus` from the likeliest tokens: the same token, and a log-probability that differs by the rounding of the sum only.
 *
 * @returns null if all probabilities are needed: these tokens may not contain the whole nucleus, since they do not reach the share or the last
 *   of them is as likely as tokens outside; or they are NaN.
 */
export function drawFromLikely(likely: LikelyTokens, topP: number, race: Race): LikelyDraw | null {
  const count = likely.probabilities.length
  const runs = topP < 1 ? nucleusOf(likely, topP) : { count, mass: likely.total }
  const isWhole = count === likely.vocabSize
  if (topP < 1 && runs.count === count && !isWhole) return null
  const first = new Front(race)
  for (let i = 0; i < runs.count; i++) first.take(Number(likely.tokens[i]), likely.probabilities[i] as number)
  if (first.at === Number.POSITIVE_INFINITY) return null
  const rivals = topP < 1 || isWhole ? [] : outside(likely, race, first.at)
  return {
    rivals,
    settle(probabilities) {
      for (const [i, rival] of rivals.entries()) first.take(rival, probabilities[i] as number)
      return { token: first.token, logprob: Math.log(first.probability / runs.mass) }
    },
  }
}

/** How many of the likeliest tokens are in the nucleus, if it is among them, and the sum of their probabilities. */
function nucleusOf({ probabilities, total }: LikelyTokens, topP: number): { count: number; mass: number } {
  let [count, mass, least] = [0, 0, 0]
  for (; count < probabilities.length; count++) {
    const p = probabilities[count] as number
    if (p < least) break
    mass += p
    if (least === 0 && mass >= topP * total) least = p / (1 + TIED)
  }
  return { count, mass }
}

/**
 * Tokens that are not among the likeliest and may come before the first of these. None is likelier than the last of the likeliest, so each has an early
 * time below `soonest` times that.
 *
 * Of V tokens at most V / K are expected, whatever the distribution: K tokens at least as likely as the last have an expected first time of
 * at most 1 / (K last).
 */
function outside({ probabilities, tokens, vocabSize }: LikelyTokens, race: Race, soonest: number): number[] {
  const early = race.before(soonest * (probabilities.at(-1) as number), vocabSize)
  if (early.length === 0) return early
  const inside = new Set(Array.from(tokens, Number))
  return early.filter(token => !inside.has(token))
}

/** The first of the tokens that ran so far; of two at once, that with the lower number. */
class Front {
  readonly #race: Race
  token = 0
  probability = 0
  at = Number.POSITIVE_INFINITY

  constructor(race: Race) {
    this.#race = race
  }

  take(token: number, probability: number): void {
    const at = this.#race.time(token) / probability
    if (!(at < this.at || (at === this.at && token < this.token))) return
    this.token = token
    this.probability = probability
    this.at = at
  }
}
