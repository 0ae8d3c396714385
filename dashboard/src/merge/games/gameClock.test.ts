import { expect, test } from 'vitest'
import { type GameTerms, gameStep } from './gameClock.ts'

const game = (clues: number): GameTerms => ({
  status: 'open',
  roundCount: 2,
  startsAtSec: 1_000,
  bettingSec: 60,
  revealSec: 30,
  disputeSec: 100,
  answer: null,
  answeredAtSec: null,
  disputer: null,
  disputedAtSec: null,
  pot: null,
  endedAtSec: null,
  clues: { items: Array.from({ length: clues }, (_, round) => ({ round, clue: 'x' })) },
})

test('a game goes from bets to a clue to the next bets, and to its answer', () => {
  const at = (nowSec: number, clues: number) => {
    const { says, atSec, bettingRound } = gameStep(game(clues), nowSec)
    return [says, atSec, bettingRound]
  }
  expect(at(999, 0)).toEqual(['Betting opens', 1_000, null])
  expect(at(1_000, 0)).toEqual(['Betting of round 1 closes', 1_060, 0])
  expect(at(1_060, 0)).toEqual(['The clue of round 1 is due', 1_090, null])
  expect(at(1_070, 1)).toEqual(['Betting of round 2 opens', 1_090, null])
  expect(at(1_090, 0)).toEqual(['The Judge missed a deadline: anyone may end the game.', null, null])
  expect(at(1_149, 1)).toEqual(['Betting of round 2 closes', 1_150, 1])
  expect(at(1_150, 2)).toEqual(['The answer is due', 1_180, null])
})

test('a game whose answer can no longer change waits for a claim', () => {
  const answered = { ...game(2), status: 'answered', answer: 1, answeredAtSec: 1_170 } as const
  const disputed = { ...answered, status: 'disputed', disputer: '0xa', disputedAtSec: 1_200 } as const
  const at = (terms: GameTerms, nowSec: number) => {
    const { says, atSec } = gameStep(terms, nowSec)
    return [says, atSec]
  }
  expect(at(answered, 1_269)).toEqual(['The answer is proven; the time for a dispute ends', 1_270])
  expect(at(answered, 1_270)).toEqual(['The answer stands: the first winner who claims ends the game.', null])
  expect(at(disputed, 1_399)).toEqual(['The answer is disputed; a committee decides, at the latest', 1_400])
  expect(at(disputed, 1_400)).toEqual(['The dispute is over: the first winner who claims ends the game.', null])
})

test.each<[why: RegExp, ended: Partial<GameTerms>]>([
  [/^The Judge cancelled it/, { endedAtSec: 1_179 }],
  [/^The Judge missed a deadline/, { endedAtSec: 1_180 }],
  [/^Nobody bet on the right choice/, { answer: 1, pot: 0n }],
  [/^Nobody bet on the right choice/, { answer: 1, disputer: '0xa', pot: 0n }],
  [/^A committee found that no choice is right/, { answer: 1, disputer: '0xa', pot: 7n }],
])('a void game says why it is void: %s', (why, ended) => {
  expect(gameStep({ ...game(2), status: 'void', ...ended }, 2_000).says).toMatch(why)
})
