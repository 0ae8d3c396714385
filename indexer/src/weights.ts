/**
 * What a score weighs in its round's emission, as `Weights` and `Earnings` of the contracts compute it: at most five quarters of the mean of its key's
 * last eight scores, in 32nds of a thousandth.
 */

/** Counted rounds whose scores a weight is held to, its own included. */
const WINDOW = 8
/** Counted rounds over which the weights of rounds are averaged. */
const SPAN = 32n

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
    return roundsBefore > 0 && roundsBefore < WINDOW ? sum + scoreMilli : sum
  }, 0)
}

/** Gives a key another score in a counted round. One older than the window changes nothing. */
export function withScore(lanes: ScoreLanes, number: number, scoreMilli: number): ScoreLanes {
  const newest = Math.max(lanes.number, number)
  const scoresMilli = Array.from({ length: WINDOW }, (_, age) => {
    const at = newest - age
    return at === number ? scoreMilli : (lanes.scoresMilli[lanes.number - at] ?? 0)
  })
  return { number: newest, scoresMilli }
}

/** @param beforeMilli - see `sumBefore`. */
export const weightOf = (scoreMilli: number, beforeMilli: number): number =>
  Math.min(4 * WINDOW * scoreMilli, 5 * (beforeMilli + scoreMilli))

/** The mean weight of counted rounds after one more, the `number`th; 0 before the first. */
export function meanAfter(last: { number: number; meanWeight: number; weight: number } | null): number {
  if (last === null) return 0
  const span = BigInt(last.number) < SPAN ? BigInt(last.number) : SPAN
  return Number((BigInt(last.meanWeight) * (span - 1n) + BigInt(last.weight)) / span)
}
