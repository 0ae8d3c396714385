import { numberToHex } from 'viem'
import { expect, test } from 'vitest'
import { readIndexedPoints } from '#roles/audit/readIndexedPoints.ts'
import { startFakeIndex } from './fakeIndex.ts'

const CHAIN_ID = 31_337
const key = (number: number) => numberToHex(number, { size: 32 })

test('a leaderboard of many pages is read whole, with the block that it follows from', async () => {
  const points = Array.from({ length: 2_100 }, (_, at) => [key(at), at] as const)
  await using index = await startFakeIndex(CHAIN_ID, [{ block: 12, points }])
  expect(await readIndexedPoints(`${index.url}/`, CHAIN_ID)).toEqual({ block: 12, points: new Map(points) })
})

test('a leaderboard that moves on while it is read is read again', async () => {
  const before = { block: 12, points: [[key(1), 700]] } as const
  const after = { block: 13, points: [[key(1), 900]] } as const
  await using index = await startFakeIndex(CHAIN_ID, [before, after])
  expect(await readIndexedPoints(index.url, CHAIN_ID)).toEqual({ block: 13, points: new Map(after.points) })
})

test('an index that never rests, one of another chain, and an address without an index are errors of their own', async () => {
  const blocks = Array.from({ length: 100 }, (_, block) => ({ block, points: [] }))
  await using restless = await startFakeIndex(CHAIN_ID, blocks)
  await expect(readIndexedPoints(restless.url, CHAIN_ID)).rejects.toMatchObject({
    ...{ code: 'INDEX_UNUSABLE', retryable: true, message: expect.stringContaining('another block during every read') },
  })
  await using foreign = await startFakeIndex(1, blocks)
  await expect(readIndexedPoints(foreign.url, CHAIN_ID)).rejects.toThrow('is of chain 1, not of 31337')
  await expect(readIndexedPoints('http://127.0.0.1:1', CHAIN_ID)).rejects.toThrow('does not answer as an indexer')
})
