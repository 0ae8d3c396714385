import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawIndices } from './drawIndices.ts'
import { roundSeed } from './roundSeed.ts'

const beacon = `0x${'be'.repeat(32)}` as const
const peerKey = `0x${'ab'.repeat(32)}` as const

test('draws distinct indices in range, the same for the same seed', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 60 }),
      fc.integer({ min: 0, max: 70 }),
      fc.nat(1000),
      (total, count, round) => {
        const seed = roundSeed('draw', 31_337, round, beacon, peerKey)
        const drawn = drawIndices(total, count, seed)
        expect(drawn).toHaveLength(Math.min(total, count))
        expect(new Set(drawn).size).toBe(drawn.length)
        expect(drawn.every(index => index >= 0 && index < total)).toBe(true)
        expect(drawIndices(total, count, seed)).toEqual(drawn)
      },
    ),
  )
})

test('every index is drawn about equally often', () => {
  const hits = new Array<number>(8).fill(0)
  for (let round = 0; round < 800; round++)
    for (const index of drawIndices(8, 2, roundSeed('draw', 1, round, beacon, peerKey)))
      hits[index] = (hits[index] ?? 0) + 1
  for (const hit of hits) expect(Math.abs(hit - 200)).toBeLessThan(60)
})

test('purposes, chains, rounds, beacons, peers and attempts have seeds of their own', () => {
  const seeds = [
    roundSeed('draw', 1, 1, beacon, peerKey),
    roundSeed('rollout', 1, 1, beacon, peerKey),
    roundSeed('draw', 2, 1, beacon, peerKey),
    roundSeed('draw', 1, 2, beacon, peerKey),
    roundSeed('draw', 1, 1, peerKey, peerKey),
    roundSeed('draw', 1, 1, beacon, `0x${'cd'.repeat(32)}` as const),
    roundSeed('draw', 1, 1, beacon, peerKey, 1),
  ]
  expect(new Set(seeds).size).toBe(seeds.length)
})
