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

test('an index that never rests, one of another chain, and an address without an index are errors', async () => {
  const blocks = Array.from({ length: 100 }, (_, block) => ({ block, points: [] }))
  await using restless = await startFakeIndex(CHAIN_ID, blocks)
  await expect(readIndexedPoints(restless.url, CHAIN_ID)).rejects.toMatchObject({
    ...{ code: 'INDEX_UNUSABLE', retryable: true, message: expect.stringContaining('another block during every read') },
  })
  await using foreign = await startFakeIndex(1, blocks)
  await expect(readIndexedPoints(foreign.url, CHAIN_ID)).rejects.toThrow('is of chain 1, not of 31337')
  await expect(readIndexedPoints('http://127.0.0.1:1', CHAIN_ID)).rejects.toThrow('does not answer as an indexer')
})

test('an index that gives a peer two values at one block is not compared by the last of them', async () => {
  const points = [
    [key(1), 900],
    [key(2), 5],
    [key(1), 700],
  ] as const
  await using index = await startFakeIndex(CHAIN_ID, [{ block: 12, points }])
  await expect(readIndexedPoints(index.url, CHAIN_ID)).rejects.toMatchObject({
    ...{ code: 'INDEX_UNUSABLE', retryable: false },
    message: expect.stringContaining(`gives ${key(1)} two different values at block 12`),
  })
})

test.each<[string, (offset: number, limit: number) => number[], string | null]>([
  ['the same page for ever', (_, limit) => [...Array(limit).keys()], null],
  [
    'peers without end',
    (offset, limit) => Array.from({ length: limit }, (_, at) => offset + at),
    'more than 50000 peers',
  ],
  ['a page of 7 MB', () => Array<number>(50_000).fill(1), 'does not answer as an indexer'],
])('An index that tells %s does not hold up who reads it.', async (_, numbers, refusal) => {
  const points = (offset: number, limit: number) => numbers(offset, limit).map(number => [key(number), 1] as const)
  await using index = await startFakeIndex(CHAIN_ID, [{ block: 12, points }])
  const read = readIndexedPoints(index.url, CHAIN_ID)
  if (refusal === null) expect((await read).points.size).toBe(1_000)
  else await expect(read).rejects.toThrow(refusal)
})
