import { expect, test } from 'vitest'
import { evaluatorRows, proposerRows } from './roleRows.ts'

const NECTAR = 10n ** 18n
const stake = (peerKey: string, duty: 'evaluator' | 'proposer', amountWei: bigint) => ({
  ...{ peerKey, duty, amountWei, slashedWei: 0n, freeFromRound: null },
})
const named = (peerKey: string) => ({ peerKey, peerId: `id ${peerKey}`, name: `name ${peerKey}` })
const seat = { fromRound: 0, untilRound: null, votesCommitted: 2, votesRevealed: 2, misses: 0, missedRound: null }

const answer = {
  evaluators: {
    items: [
      { ...seat, peerKey: '0xa', peer: named('0xa') },
      { ...seat, peerKey: '0xb', peer: named('0xb') },
    ],
  },
  peers: { items: ['0xc', '0xd', '0xe'].map(peerKey => ({ ...named(peerKey), roundsProposed: 3 })) },
  stakes: { items: [stake('0xa', 'proposer', 5n), stake('0xb', 'evaluator', 7n)] },
  purses: {
    items: [
      { peerKey: '0xb', openingWei: 40n * NECTAR, taskWei: 0n },
      { peerKey: '0xd', openingWei: 0n, taskWei: 150n * NECTAR },
    ],
  },
  taskPays: {
    items: [
      // A round has several shards; the leaf of the oldest is beyond the answer.
      { round: 9, shard: 0, proposerKey: '0xd' },
      { round: 9, shard: 1, proposerKey: '0xe' },
      { round: 8, shard: 0, proposerKey: '0xd' },
      { round: 7, shard: 0, proposerKey: '0xd' },
    ],
  },
  agreedLeafs: {
    items: [
      { round: 9, shard: 0, medianMilli: 500 },
      { round: 9, shard: 1, medianMilli: 300 },
      { round: 9, shard: 2, medianMilli: null },
      { round: 8, shard: 0, medianMilli: 1_000 },
    ],
  },
}

test('evaluators come by what their openings earned, each with the stake of that duty alone', () => {
  expect(evaluatorRows(answer).map(row => [row.name, row.earnedWei, row.stakeWei])).toEqual([
    ['name 0xb', 40n * NECTAR, 7n],
    ['name 0xa', 0n, 0n],
  ])
})

test('proposers come by the mean learnability of what was paid, however small its shard is, and last where nothing was', () => {
  expect(proposerRows(answer).map(row => [row.peerKey, row.learnability, row.tasksPaid, row.earnedWei])).toEqual([
    ['0xe', 0.84, 1, 0n],
    ['0xd', 0.5, 2, 150n * NECTAR],
    ['0xc', null, 0, 0n],
  ])
})
