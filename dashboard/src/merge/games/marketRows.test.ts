import { expect, test } from 'vitest'
import type { MarketRoles } from '#sources/market/getMarketRoles.ts'
import { bettorRows, judgeRows } from './marketRows.ts'

const game = {
  status: 'resolved' as const,
  answer: 1,
  winner: 1,
  disputer: null,
  pot: 0n,
  bond: 10n,
  fee: 2n,
  totalStake: 20n,
}
const choices = {
  items: [
    { choice: 0, stake: 10n },
    { choice: 1, stake: 10n },
  ],
}
const over = { details: '', status: 'resolved' as const, winner: 1, choices }
const bet = (account: string, choice: number, gameId = 1n, played: object = over) =>
  ({
    account,
    gameId,
    choice,
    stake: 10n,
    atSec: 1,
    game: { ...over, ...played },
  }) as MarketRoles['gameBets']['items'][number]
const peer = { account: '0xb', peerKey: '0x1', peerId: '16U', name: 'small red bee' }

const market: MarketRoles = {
  games: {
    items: [
      { ...game, judge: '0xa' },
      { ...game, judge: '0xa', answer: 0, fee: 0n },
      { ...game, judge: '0xa', status: 'disputed', winner: null, fee: 0n },
      { ...game, judge: '0xb', fee: 5n },
      { ...game, judge: '0xb', status: 'void', winner: null, fee: 0n },
      { ...game, judge: '0xb', status: 'void', winner: null, fee: 0n, answer: null },
    ],
  },
  gameBets: {
    items: [bet('0xa', 0), bet('0xb', 1), bet('0xd', 1), bet('0xc', 1, 2n, { status: 'open', winner: null })],
  },
  gameHoldings: {
    items: [
      { account: '0xa', gameId: 1n, staked: 10n, claimed: 0n, claimable: 0n },
      { account: '0xb', gameId: 1n, staked: 10n, claimed: 13n, claimable: 0n },
      { account: '0xd', gameId: 1n, staked: 10n, claimed: 0n, claimable: 16n },
    ],
  },
  heldFrom: 0n,
  owners: new Map([[peer.account, peer]]),
}

test('judges come by what they earned, each with the answers that stood and the bonds that are locked', () => {
  expect(judgeRows(market)).toEqual([
    { account: '0xb', peer, games: 3, answered: 2, stood: 2, bonded: 0n, earned: 5n },
    { account: '0xa', peer: null, games: 3, answered: 2, stood: 1, bonded: 10n, earned: 2n },
  ])
})

test('bettors come by what they won, claimed or not, of games that have a winner alone', () => {
  expect(
    bettorRows(market).map(({ account, won, claimable, staked, brier, marketBrier }) => [
      account,
      won - staked,
      claimable,
      brier,
      marketBrier,
    ]),
  ).toEqual([
    ['0xd', 6n, 16n, 0, 0.5],
    ['0xb', 3n, 0n, 0, 0.5],
    ['0xa', -10n, 0n, 2, 0.5],
  ])
})
