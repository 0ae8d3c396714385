import { NucleusSearch } from '../generation/nucleus.ts'
import { nucleusTolerance } from './samplingTolerances.ts'

/** Where a token lies in the nucleus that it was drawn from, as far as kernels that add in another order agree. */
export interface NucleusPlace {
  /** Within the nucleus. */
  readonly logprob: number
  /** Share of the nucleus that tokens with a smaller id have. */
  readonly below: number
  /** By how much the tokens that are certainly likelier exceed top-p: above 0 the token was not there to be drawn. */
  readonly outside: number
  /** Probability of other tokens that another kernel may count in, or leave out: `below` is off by as much at most. */
  readonly unsure: number
}

const { cumulative: SHARE, logprob: RATIO } = nucleusTolerance

/**
 * Reads a token's place. The edge of a nucleus is where kernels disagree: on whether a token comes before its share is reached, and on the
 * order of two that are equally likely. Tokens of less than the tolerance each move nothing further than the share at the edge is off.
 *
 * @param probabilities - [V].
 */
export function placeInNucleus(probabilities: Float32Array, topP: number, token: number): NucleusPlace {
  const own = probabilities[token] as number
  const search = new NucleusSearch(probabilities)
  const { least, mass } = search.nucleus(topP)
  const isIn = own >= least
  const inner = search.nucleus(topP - SHARE).least
  const last = (1 - RATIO) * search.nucleus(topP + SHARE).least
  // Of tokens that are as good as equal any may be the last.
  const anyIsLast = search.likelierThan((1 - RATIO) * inner) - inner >= topP - SHARE
  const first = (1 + RATIO) * (anyIsLast ? inner : nextBelow(probabilities, inner))
  let [below, unsure] = [0, 0]
  for (let i = 0; i < probabilities.length; i++) {
    const p = probabilities[i] as number
    if (i < token && p >= least) below += p
    if (p > SHARE && p >= last && p <= first && i !== token) unsure += p
  }
  const whole = isIn ? mass : mass + own
  return {
    logprob: Math.log(own / whole),
    below: below / whole,
    outside: isIn ? 0 : Math.max(0, search.likelierThan(own * (1 + RATIO)) - topP),
    // Whatever another kernel leaves out has no more than the rest beyond top-p, of the nucleus and of what lies below: a policy that makes a
    // thousand tokens alike would have any of them drawn.
    unsure: Math.min(unsure / whole, (2 * (1 - topP)) / topP + SHARE),
  }
}

/** The largest probability below a bound; 0 where there is none. */
function nextBelow(probabilities: Float32Array, bound: number): number {
  let most = 0
  for (const p of probabilities) if (p < bound && p > most) most = p
  return most
}
