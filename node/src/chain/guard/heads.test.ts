import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createHeads } from './heads.ts'

/** Follows a chain with a block every `blockMs` for some seconds; returns polls per block and the mean delay. */
async function follow(blockMs: number, seconds: number, news: { fromSec?: number } = {}) {
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
  const ended = Promise.allSettled([waiter(), waiter(), waiter()])
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

test('while no block can be news, there is at most one poll in four blocks', async () => {
  const { pollsPerBlock } = await follow(2_000, 240, { fromSec: Number.POSITIVE_INFINITY })
  expect(pollsPerBlock).toBeLessThan(0.4)
  expect(pollsPerBlock).toBeGreaterThan(0.1)
})
