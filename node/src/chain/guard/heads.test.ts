import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createHeads } from './heads.ts'

type Watch = { fromSec?: number; readMs?: number; askMs?: number }

/** Follows a chain with a block every `blockMs` for some seconds; returns polls per block and the mean delay. */
async function follow(blockMs: number, seconds: number, { readMs, askMs, ...news }: Watch = {}) {
  const clock = createManualClock(1_700_000_000_000)
  const stop = new AbortController()
  const startMs = clock.nowMs() - 137
  let polls = 0
  const readHead = async () => {
    polls += 1
    const number = Math.floor((clock.nowMs() - startMs) / blockMs)
    const timeSec = Math.floor((startMs + number * blockMs) / 1000)
    return { number, timeSec, hash: `0x${number}`, atMs: clock.nowMs() }
  }
  const heads = createHeads({ readHead, clock, signal: stop.signal, pollMs: 500 })
  const delays: number[] = []
  const waiter = async () => {
    for (;;) {
      const { number } = await heads.next(stop.signal, news)
      delays.push(clock.nowMs() - startMs - number * blockMs)
    }
  }
  // Somebody else's reads, at moments that have nothing to do with blocks.
  const reader = async (everyMs: number | undefined, read: () => Promise<unknown>) => {
    while (everyMs !== undefined) {
      await clock.sleep(everyMs, stop.signal)
      await read()
    }
  }
  const readers = [reader(readMs, heads.recent), reader(askMs, heads.read)]
  const ended = Promise.allSettled([waiter(), waiter(), waiter(), ...readers])
  const pass = async (count: number) => {
    for (let at = 0; at < count; at++) {
      for (let turn = 0; turn < 12; turn++) await Promise.resolve()
      clock.advance(50)
    }
  }
  // By then the time between blocks is known.
  await pass((8 * blockMs) / 50)
  polls = 0
  delays.splice(0)
  await pass(seconds * 20)
  stop.abort()
  await ended
  return {
    pollsPerBlock: polls / ((seconds * 1000) / blockMs),
    meanDelay: delays.reduce((a, b) => a + b, 0) / delays.length,
  }
}

test.each([1_000, 2_000, 12_000])(
  'three callers that wait for blocks of %i ms share about one poll a block, close behind it',
  async blockMs => {
    const { pollsPerBlock, meanDelay } = await follow(blockMs, blockMs / 10)
    expect(pollsPerBlock).toBeLessThan(1.4)
    expect(meanDelay).toBeLessThan(blockMs / 5)
  },
)

test.each([700, 1_300, 3_100])(
  'reads of others every %i ms neither hide the time between blocks nor add polls',
  async readMs => {
    const { pollsPerBlock, meanDelay } = await follow(2_000, 200, { readMs })
    expect(pollsPerBlock).toBeLessThan(1.5)
    expect(meanDelay).toBeLessThan(600)
  },
)

test('a chain that mines in bursts has no time between blocks: the newest block is requested', async () => {
  const clock = createManualClock(1_700_000_000_000)
  let [number, polls] = [0, 0]
  const readHead = async () => {
    polls += 1
    return { number, timeSec: clock.nowMs() / 1000, hash: `0x${number}`, atMs: clock.nowMs() }
  }
  const heads = createHeads({ readHead, clock, signal: undefined, pollMs: 500 })
  for (let burst = 0; burst < 4; burst++) {
    for (let block = 0; block < 4; block++) {
      clock.advance(10)
      number += 1
      await heads.read()
    }
    clock.advance(4_000)
  }
  polls = 0
  expect((await heads.recent()).number).toBe(number)
  expect(polls).toBe(1)
})

test('two heads, which lie on a line whatever the chain does, tell no time between blocks', async () => {
  const clock = createManualClock(1_700_000_000_000)
  let [number, polls] = [0, 0]
  const readHead = async () => {
    polls += 1
    return { number, timeSec: clock.nowMs() / 1000, hash: `0x${number}`, atMs: clock.nowMs() }
  }
  const heads = createHeads({ readHead, clock, signal: undefined, pollMs: 500 })
  await heads.read()
  clock.advance(20_000)
  number = 10
  await heads.read()
  clock.advance(1_000)
  await heads.recent()
  expect(polls).toBe(3)
})

test('while no block can be news, there is at most one poll in four blocks', async () => {
  const { pollsPerBlock } = await follow(2_000, 240, { fromSec: Number.POSITIVE_INFINITY })
  expect(pollsPerBlock).toBeLessThan(0.4)
  expect(pollsPerBlock).toBeGreaterThan(0.1)
})

test.each([75_000, 101_000])(
  'requests of others every %i ms, which find blocks of 12 s late, do not hide the time between them',
  async askMs => {
    const sparse = await follow(12_000, 3_600, { fromSec: Number.POSITIVE_INFINITY, askMs })
    const close = await follow(12_000, 3_600, { askMs })
    expect(sparse.pollsPerBlock).toBeLessThan(0.6)
    expect(close.pollsPerBlock).toBeLessThan(1.6)
  },
)

test('a head of next year, which was followed before any other, bounds no later search for a block', async () => {
  const clock = createManualClock(1_700_000_000_000)
  let number = 1
  let aheadSec = 365 * 86_400
  const timeOf = (block: number) => 1_700_000_000 + 2 * block
  const readHead = async () => ({
    number,
    timeSec: timeOf(number) + aheadSec,
    hash: `0x${number}`,
    atMs: clock.nowMs(),
  })
  const heads = createHeads({ readHead, clock, signal: undefined, pollMs: 500 })
  await heads.read()
  aheadSec = 0
  for (number = 2; number <= 40; number++) await heads.read()
  const { before, from } = heads.around(timeOf(20))
  expect([before?.number, from?.number]).toEqual([19, 20])
})
