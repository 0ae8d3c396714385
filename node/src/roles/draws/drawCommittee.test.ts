import { expect, test } from 'vitest'
import type { Hex } from '#core/hex.ts'
import { drawCommittee, shardsOf } from './drawCommittee.ts'

const beacon: Hex = `0x${'be'.repeat(32)}`
const seats = Array.from({ length: 9 }, (_, i): Hex => `0x${i.toString(16).padStart(64, '0')}`)

test('a committee is five distinct seats, or all where there are fewer, and another for every shard', () => {
  const committee = drawCommittee(1, 4, beacon, 0, seats)
  expect(committee).toHaveLength(5)
  expect(new Set(committee).size).toBe(5)
  expect(committee.every(key => seats.includes(key))).toBe(true)
  expect(drawCommittee(1, 4, beacon, 1, seats)).not.toEqual(committee)
  expect(drawCommittee(1, 4, beacon, 0, seats.slice(0, 3)).toSorted()).toEqual(seats.slice(0, 3))
  expect(drawCommittee(1, 4, beacon, 0, [])).toEqual([])
})

test('shards are cut by ordinal, 32 peers each', () => {
  const committed = Array.from({ length: 70 }, (_, ordinal) => ({ ordinal })).toReversed()
  const shards = shardsOf(committed)
  expect(shards.map(shard => shard.length)).toEqual([32, 32, 6])
  expect(shards.flat().map(({ ordinal }) => ordinal)).toEqual(Array.from({ length: 70 }, (_, i) => i))
  expect(shardsOf([])).toEqual([])
})
