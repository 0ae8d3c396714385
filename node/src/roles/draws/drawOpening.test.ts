import { expect, test } from 'vitest'
import type { Settlement } from '#chain/votes/readSettlements.ts'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import { drawnLeaf, drawOpening } from './drawOpening.ts'

const beacon = `0x${'be'.repeat(32)}` as const
/** Of ten leaves, in the order drawn. */
const sampled = [5, 9, 2]

const peers = Array.from({ length: 9 }, (_, at) => ({ peerKey: `0x${at}` }) as RolloutCommitment)
const settled = (points: readonly number[]) =>
  points.map((scoreMilli, at) => ({ peerKey: `0x${at}`, scoreMilli }) as Settlement)
const drawnAt = (round: number, points: readonly number[], shard = 2) =>
  drawOpening(1, round, beacon, shard, peers, settled(points))

test('a peer with points is drawn, another for every round, shard and beacon', () => {
  const points = [1, 0, 500, 1000, 0, 1, 1, 1, 1]
  const drawn = Array.from({ length: 50 }, (_, round) => drawnAt(round, points))
  expect(new Set(drawn.map(one => one?.commitment.peerKey))).toEqual(
    new Set(['0x0', '0x2', '0x3', '0x5', '0x6', '0x7', '0x8']),
  )
  expect(new Set(drawn.map(one => one?.place)).size).toBe(50)
  expect(drawnAt(0, points)).toEqual(drawn[0])
  expect(drawnAt(0, points, 3)?.place).not.toBe(drawn[0]?.place)
  // Points that undrawn and unsettled peers lose change nothing.
  const fewer = (key: string | undefined) => points.map((one, at) => (key === `0x${at}` ? one : 0))
  expect(Array.from({ length: 50 }, (_, round) => drawnAt(round, fewer(drawn[round]?.commitment.peerKey)))).toEqual(
    drawn,
  )
  expect(drawnAt(0, [0, 0])).toBeNull()
})

test.each([
  [0n, 10, 5],
  [1n, 10, 9],
  [2n, 10, 2],
  [3n, 10, 5],
  [4n, 10, 9],
  // Leaf 9 was not committed: the next of the sample is opened.
  [1n, 9, 2],
  [2n, 9, 2],
  // Past the last: the first again.
  [1n, 6, 2],
  [0n, 3, 2],
  [2n, 3, 2],
  [3n * 2n ** 126n + 2n, 10, 2],
  [0n, 2, null],
])('at place %i, with %i leaves, leaf %i is opened', (place, leafCount, index) => {
  expect(drawnLeaf(sampled, place, leafCount)).toBe(index)
})

test('of no sample nothing is opened', () => {
  expect(drawnLeaf([], 7n, 8)).toBeNull()
})
