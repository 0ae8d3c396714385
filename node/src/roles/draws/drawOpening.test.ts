import { expect, test } from 'vitest'
import type { Settlement } from '#chain/votes/readSettlements.ts'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import { drawnLeaf, drawOpening } from './drawOpening.ts'

const beacon = `0x${'be'.repeat(32)}` as const
const scored = [{ index: 2 }, { index: 5 }, { index: 9 }]

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
  [0n, 2],
  [2n, 2],
  [3n, 5],
  [9n, 9],
  // Past the last: the first again.
  [10n, 2],
  [63n, 2],
  [64n + 4n, 5],
])('at place %i of 64 leaves, leaf %i is opened', (place, index) => {
  expect(drawnLeaf(scored, place, 64)).toEqual({ index })
})
