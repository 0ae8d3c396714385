import { POLLS_PER_ROUND } from '../games/watchGames.ts'

/** A reveal that is late forfeits the bond, and a game that is opened late is refused: time for a few blocks, however short a round is. */
const LEAST_SEC = 15

type Schedule = { startsAtSec: number; roundCount: number; bettingSec: number; revealSec: number }

/** How long the steps of a Judge's games take, by the length of a round. */
export function gameTimes(roundSec: number) {
  const patientSec = Math.max(LEAST_SEC, Math.ceil(roundSec / 2))
  return { startsInSec: patientSec, bettingSec: roundSec, revealSec: patientSec }
}

/**
 * Whether the next game has to be opened now, so that it takes its first bets before the last game takes its last.
 *
 * @param running - those that take bets, now or later.
 */
export function isNextDue(running: readonly Schedule[], nowSec: number, roundSec: number): boolean {
  // One poll to see that it is due, and one for a poll that fails.
  const leadSec = gameTimes(roundSec).startsInSec + (2 * roundSec) / POLLS_PER_ROUND
  return running.every(game => lastBetSec(game) - leadSec <= nowSec)
}

/** When the betting of the last round ends. */
const lastBetSec = ({ startsAtSec, roundCount, bettingSec, revealSec }: Schedule): number =>
  startsAtSec + (roundCount - 1) * (bettingSec + revealSec) + bettingSec
