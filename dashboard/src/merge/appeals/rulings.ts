import { TOLERANCE_MILLI, UNAVAILABLE } from '@waggle/deployments/protocol'

export interface Appeal {
  /** Seats that judge. */
  drawn: number
  /** Verdicts that they opened, as on the chain: 65535 for `unavailable`. */
  openedMilli: readonly number[]
}

/** A jury's part in a case: the score that was appealed to it, and the one after it. */
export interface Ruling {
  seats: number
  appealedMilli: number
  standingMilli: number
  /** Whether it came to a verdict: else the score stands as it was. */
  isReached: boolean
}

/**
 * The rulings on a score, one for each appeal, as `Appeals._rule` derives them from opened verdicts.
 *
 * @param isTaken - whether the last jury, if it found no bundle, removed the score. One before it did: otherwise the contract takes no
 *   further appeal.
 */
export function rulings(settledMilli: number, appeals: readonly Appeal[], isTaken: boolean): Ruling[] {
  let standingMilli = settledMilli
  let isScored = false
  return appeals.map(({ drawn, openedMilli }, place) => {
    const appealedMilli = standingMilli
    const found = juryVerdict(openedMilli, drawn, appealedMilli)
    isScored ||= found !== null
    const isGone = !isScored && missed(openedMilli) >= quorumOf(drawn) && (isTaken || place < appeals.length - 1)
    const verdict = isGone ? 0 : found
    if (verdict !== null && differs(verdict, appealedMilli)) standingMilli = verdict
    return { seats: drawn, appealedMilli, standingMilli, isReached: verdict !== null }
  })
}

/** A jury's verdict, as `AppealCases._verdictOf` derives it; null if there is none. Silent seats count for the score that was appealed. */
function juryVerdict(openedMilli: readonly number[], drawn: number, appealedMilli: number): number | null {
  const scores = openedMilli.filter(score => score !== UNAVAILABLE).sort((a, b) => a - b)
  const verdict = scores[(scores.length - 1) >> 1]
  if (verdict === undefined || openedMilli.length < quorumOf(drawn) || openedMilli.length > 2 * scores.length)
    return null
  if (!differs(verdict, appealedMilli)) return verdict
  const along = scores.filter(
    score => differs(score, appealedMilli) && score < appealedMilli === verdict < appealedMilli,
  )
  return along.length < quorumOf(drawn) ? null : verdict
}

const missed = (openedMilli: readonly number[]) => openedMilli.filter(score => score === UNAVAILABLE).length
const quorumOf = (seats: number) => Math.max(2, Math.floor(seats / 2) + 1)
const differs = (a: number, b: number) => Math.abs(a - b) > TOLERANCE_MILLI
