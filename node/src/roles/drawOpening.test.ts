import { expect, test } from 'vitest'
import { drawnLeaf, drawOpening } from './drawOpening.ts'

const beacon = `0x${'be'.repeat(32)}` as const
const scored = [{ index: 2 }, { index: 5 }, { index: 9 }]

test('a peer of the shard is drawn, another for every round, shard and beacon', () => {
  const drawn = Array.from({ length: 50 }, (_, round) => drawOpening(1, round, beacon, 2, 7))
  expect(drawn.every(({ ordinal }) => ordinal >= 64 && ordinal < 71)).toBe(true)
  expect(new Set(drawn.map(({ ordinal }) => ordinal)).size).toBe(7)
  expect(new Set(drawn.map(({ place }) => place)).size).toBe(50)
  expect(drawOpening(1, 0, beacon, 2, 7)).toEqual(drawn[0])
  expect(drawOpening(1, 0, beacon, 3, 7).place).not.toBe(drawn[0]?.place)
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
