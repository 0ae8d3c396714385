/**
 * Weight of a score in its round's emission, as the contracts `Weights` and `Earnings` compute it: at most five quarters of the mean of
 * its key's
 * last eight scores, in 32nds of a thousandth.
 */
import { EMISSION_WEI, FULL_WEIGHT, WEIGHT_WINDOW } from '@waggle/deployments/protocol'

/** A key's scores in the last counted rounds. */
export interface ScoreLanes {
  /** Number of the newest round that has one, among counted rounds. */
  number: number
  /** Thousandths, the newest first; at most eight. */
  scoresMilli: number[]
}

export const NO_SCORES: ScoreLanes = { number: 0, scoresMilli: [] }

/** The sum of a key's scores in the seven counted rounds before one. */
export function sumBefore({ number: newest, scoresMilli }: ScoreLanes, number: number): number {
  return scoresMilli.reduce((sum, scoreMilli, age) => {
    const roundsBefore = number - (newest - age)
    return roundsBefore > 0 && roundsBefore < WEIGHT_WINDOW ? sum + scoreMilli : sum
  }, 0)
}

/** Gives a key another score in a counted round. One older than the window changes nothing. */
export function withScore(lanes: ScoreLanes, number: number, scoreMilli: number): ScoreLanes {
  const newest = Math.max(lanes.number, number)
  const scoresMilli = Array.from({ length: WEIGHT_WINDOW }, (_, age) => {
    const at = newest - age
    return at === number ? scoreMilli : (lanes.scoresMilli[lanes.number - at] ?? 0)
  })
  return { number: newest, scoresMilli }
}

/** @param beforeMilli - see `sumBefore`. */
export const weightOf = (scoreMilli: number, beforeMilli: number): number =>
  Math.min(FULL_WEIGHT * scoreMilli, 5 * (beforeMilli + scoreMilli))

/** Nectar that a score earns in its round, wei: the round's emission by its weight. Open appeals count with all that they could add. */
export function shareOf(weight: number, round: { weight: number; reservedWeight: number; meanWeight: number }): bigint {
  const total = Math.max(round.weight + round.reservedWeight, round.meanWeight)
  return (EMISSION_WEI * BigInt(weight)) / BigInt(total)
}
