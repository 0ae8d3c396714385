import { NucleusSearch, TIED } from '../generation/nucleus.ts'
import type { Race } from '../generation/tokenRaces.ts'
import { FALSE_FROM, type SamplingTolerance } from './samplingTolerances.ts'

/** A token's place in the race that drew it, as far as kernels that add in another order agree. */
export interface RacePlace {
  /** Within the nucleus. */
  readonly logprob: number
  /** Nats behind the first of the tokens that are certainly in the nucleus: 0 for the first. Infinite if the token is outside the nucleus. */
  readonly behind: number
  /** The same if kernels may differ by `FALSE_FROM` tolerances. */
  readonly behindAtLeast: number
  /** Share of the nucleus that other kernels may leave out or add: its log-probabilities are off by this much. */
  readonly unsure: number
  /** Other tokens that would pass as drawn: a sampler's remaining choice. */
  readonly rivals: number
}

/** Rules of the draw. */
export interface RaceRules {
  readonly topP: number
  readonly tolerance: SamplingTolerance
}

/** @param probabilities - [V], with a sum of 1 up to rounding. */
export function placeInRace(
  probabilities: Float32Array,
  token: number,
  race: Race,
  { topP, tolerance }: RaceRules,
): RacePlace {
  const own = probabilities[token] as number
  const { least, near, far } = edgesOf(probabilities, topP, tolerance)
  const at = race.time(token) / own
  let [whole, unsure] = [0, 0]
  let [first, firstAtLeast] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let i = 0; i < probabilities.length; i++) {
    const p = probabilities[i] as number
    if (p >= least || i === token) whole += p
    if (p >= far.possible && p < far.certain && i !== token) unsure += p
    if (!(p >= near.certain && race.early(i) < firstAtLeast * p)) continue
    const time = race.time(i) / p
    first = Math.min(first, time)
    if (p >= far.certain) firstAtLeast = Math.min(firstAtLeast, time)
  }
  const behind = (leader: number, possible: number) =>
    own < possible ? Number.POSITIVE_INFINITY : Math.max(0, Math.log(at / leader))
  return {
    logprob: Math.log(own / whole),
    behind: behind(first, near.possible),
    behindAtLeast: behind(firstAtLeast, far.possible),
    unsure: unsure / whole,
    rivals: passing(probabilities, token, race, near.possible, first * Math.exp(tolerance.race)),
  }
}

/** Other tokens that are within the tolerance and may be in the nucleus. */
function passing(probabilities: Float32Array, token: number, race: Race, possible: number, due: number): number {
  let count = 0
  for (let i = 0; i < probabilities.length; i++) {
    const p = probabilities[i] as number
    if (p >= possible && i !== token && race.early(i) <= due * p && race.time(i) <= due * p) count++
  }
  return count
}

/** Least probabilities: of the nucleus as computed here, of a token that is certainly in that of other kernels, and of one that may be. */
function edgesOf(probabilities: Float32Array, topP: number, { share, edge }: SamplingTolerance) {
  if (topP >= 1) return { least: 0, near: ALL, far: ALL }
  const search = new NucleusSearch(probabilities)
  const within = (tolerances: number) => ({
    certain: (search.last(topP - tolerances * share) * (1 + 2 * tolerances * edge)) / (1 + TIED),
    possible: (search.last(Math.min(1, topP + tolerances * share)) * (1 - 2 * tolerances * edge)) / (1 + TIED),
  })
  return { least: search.last(topP) / (1 + TIED), near: within(1), far: within(FALSE_FROM) }
}

const ALL = { certain: 0, possible: 0 }
