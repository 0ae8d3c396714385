import { expect, test } from 'vitest'
import { POLLS_PER_ROUND } from '../games/watchGames.ts'
import { gameTimes, isNextDue } from './judge.ts'

const ROUND_COUNT = 4
/** From the decision to open a game to the block that opens it. */
const SENT_SEC = 2

/** Plays on the clock what a Judge that polls on time does, and tells the spans in which its games take bets. */
function playGames(roundSec: number, count: number): { fromSec: number; toSec: number }[] {
  const opened: { startsAtSec: number; roundCount: number; bettingSec: number; revealSec: number }[] = []
  for (let nowSec = 0; opened.length < count; nowSec += roundSec / POLLS_PER_ROUND) {
    if (!isNextDue(opened.slice(-2), nowSec, roundSec)) continue
    const { startsInSec, ...times } = gameTimes(roundSec)
    opened.push({ startsAtSec: nowSec + startsInSec + SENT_SEC, roundCount: ROUND_COUNT, ...times })
  }
  return opened.map(({ startsAtSec, bettingSec, revealSec }) => ({
    fromSec: startsAtSec,
    toSec: startsAtSec + (ROUND_COUNT - 1) * (bettingSec + revealSec) + bettingSec,
  }))
}

test.each([12, 20, 60, 600])('in rounds of %i s each game takes bets before the one before it has ended', roundSec => {
  const games = playGames(roundSec, 12)
  for (const [at, { fromSec }] of games.entries()) {
    const before = games[at - 1]
    if (before === undefined) continue
    expect(fromSec).toBeLessThanOrEqual(before.toSec)
    // A bond waits for each open game: they overlap by no more than the next one's first round.
    expect(before.toSec - fromSec).toBeLessThan(roundSec)
  }
})

test('a game that has not begun is enough', () => {
  const { startsInSec, ...times } = gameTimes(20)
  expect(isNextDue([], 0, 20)).toBe(true)
  expect(isNextDue([{ startsAtSec: startsInSec, roundCount: ROUND_COUNT, ...times }], 0, 20)).toBe(false)
})
