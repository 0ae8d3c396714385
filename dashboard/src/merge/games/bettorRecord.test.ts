import { expect, test } from 'vitest'
import type { Bettor } from '#sources/market/getBettor.ts'
import { heldFrom } from '#sources/market/heldFrom.ts'
import { bettorGames, bettorScore } from './bettorRecord.ts'
import { payoutIfRight } from './payoutIfRight.ts'

const choices = (...stakes: bigint[]) => ({ items: stakes.map((stake, choice) => ({ choice, stake })) })
const game = (winner: number | null, ...stakes: bigint[]) => ({
  ...{ details: '', winner, choices: choices(...stakes) },
  status: winner === null ? ('open' as const) : ('resolved' as const),
})
const bet = (gameId: bigint, choice: number, stake: bigint, of: ReturnType<typeof game>) => ({
  ...{ gameId, choice, stake, atSec: 7, game: of },
})

test('bets are reported by game, and their stakes scored against what came', () => {
  const [first, second, third] = [game(0, 50n, 50n), game(1, 90n, 10n), game(null, 1n, 1n)]
  const items = [bet(3n, 0, 1n, third), bet(2n, 0, 10n, second), bet(1n, 0, 3n, first), bet(1n, 1, 1n, first)]
  const bettor: Bettor = {
    gameBets: { totalCount: 4, items: [...items, bet(1n, 0, 0n, first)] },
    gameHoldings: {
      items: [
        { gameId: 1n, staked: 4n, claimed: 9n, claimable: 0n },
        { gameId: 2n, staked: 10n, claimed: 0n, claimable: 4n },
        { gameId: 3n, staked: 1n, claimed: 0n, claimable: 0n },
      ],
    },
    heldFrom: 0n,
    peers: { items: [] },
  }
  const games = bettorGames(bettor)
  expect(games.map(({ gameId, staked, claimed, claimable }) => [gameId, staked, claimed, claimable])).toEqual([
    [3n, 1n, 0n, 0n],
    [2n, 10n, 0n, 4n],
    [1n, 4n, 9n, 0n],
  ])
  const score = bettorScore(games)
  // Three quarters on the winner, then all on a loser: (2 · 0.25² + 2) / 2. The market: (2 · 0.5² + 2 · 0.9²) / 2.
  expect(score?.brier).toBeCloseTo(1.0625)
  expect(score?.marketBrier).toBeCloseTo(1.06)
  expect(score?.calibration).toEqual([
    { staked: 0, won: 1, choices: 1 },
    { staked: 0.25, won: 0, choices: 1 },
    { staked: 0.75, won: 1, choices: 1 },
    { staked: 1, won: 0, choices: 1 },
  ])
  expect(bettorScore(games.slice(0, 1))).toBe(null)
})

test('a game whose bets or holding are beyond the answer does not count with a part of them', () => {
  const over = game(0, 50n, 50n)
  const items = [bet(3n, 0, 1n, over), bet(2n, 0, 10n, over)]
  const held = [{ gameId: 3n, staked: 12n, claimed: 9n, claimable: 0n }]
  const gameBets = { totalCount: 9, items }
  const games = bettorGames({ gameBets, gameHoldings: { items: held }, heldFrom: heldFrom(held, 1) })
  expect(games.map(({ gameId, staked }) => [gameId, staked])).toEqual([[3n, 12n]])
  expect(bettorScore(games)).toBe(null)
})

test('bets that a peer took to another account stay with the one that made them, without what they brought', () => {
  const over = game(0, 50n, 50n)
  const gameBets = { totalCount: 2, items: [bet(3n, 0, 1n, over), bet(2n, 0, 10n, over)] }
  const held = [{ gameId: 3n, staked: 1n, claimed: 9n, claimable: 0n }]
  const games = bettorGames({ gameBets, gameHoldings: { items: held }, heldFrom: heldFrom(held, 2) })
  expect(games.map(({ gameId, staked, claimed }) => [gameId, staked, claimed])).toEqual([
    [3n, 1n, 9n],
    [2n, 0n, 0n],
  ])
  expect(bettorScore(games)?.games).toBe(1)
})

test('a position that is right has its stake and its part of what others lose, less the fee', () => {
  const all = [
    { stake: 100n, shares: 100n },
    { stake: 40n, shares: 20n },
  ]
  expect(payoutIfRight({ choice: 1, stake: 20n, shares: 5n }, all, 200)).toBe(20n + (98n * 5n) / 20n)
  expect(payoutIfRight({ choice: 2, stake: 7n, shares: 0n }, all, 200)).toBe(7n)
})
