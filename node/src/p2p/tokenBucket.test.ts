import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createPeerBuckets, createTokenBucket } from './tokenBucket.ts'

test('a burst is free, and what follows waits for the pace', () => {
  const clock = createManualClock()
  const bucket = createTokenBucket(100, 50, clock)
  expect(bucket.takeMs(50)).toBe(0)
  expect(bucket.takeMs(10)).toBe(100)
  clock.advance(100)
  expect(bucket.takeMs(10)).toBe(100)
})

test('tokens that are not there are not taken', () => {
  const clock = createManualClock()
  const bucket = createTokenBucket(1, 1, clock)
  expect([bucket.tryTake(1), bucket.tryTake(1)]).toEqual([true, false])
  clock.advance(1000)
  expect(bucket.tryTake(1)).toBe(true)
  expect(bucket.isFull()).toBe(false)
})

test('each peer has its own bucket', () => {
  const bucketOf = createPeerBuckets(1, 1, createManualClock())
  expect([bucketOf('a').tryTake(1), bucketOf('a').tryTake(1), bucketOf('b').tryTake(1)]).toEqual([true, false, true])
})

test('a peer costs no more among thousands, and those whose buckets are full are forgotten', () => {
  const clock = createManualClock()
  let reads = 0
  const nowMs = () => {
    reads += 1
    return clock.nowMs()
  }
  const counted = { ...clock, nowMs }
  const bucketOf = createPeerBuckets(1, 1, counted)
  const first = bucketOf('peer 0')
  for (let peer = 0; peer < 10_000; peer++) bucketOf(`peer ${peer}`).tryTake(1)
  expect(reads).toBeLessThan(100_000)
  clock.advance(1_000)
  for (let peer = 10_000; peer < 30_000; peer++) bucketOf(`peer ${peer}`).tryTake(1)
  expect(bucketOf('peer 0')).not.toBe(first)
})

test('a clock that is set back takes no tokens away', () => {
  const clock = { ...createManualClock(), nowMs: () => nowMs }
  let nowMs = 3_600_000
  const bucket = createTokenBucket(1, 2, clock)
  expect(bucket.takeMs(1)).toBe(0)
  nowMs = 0
  expect(bucket.takeMs(1)).toBe(0)
  expect(bucket.takeMs(1)).toBe(1_000)
})
