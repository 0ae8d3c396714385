import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createHeads } from './heads.ts'

/** A chain with a block every so many milliseconds, and who follows it for a time; returns the looks and the delays. */
async function follow(blockMs: number, seconds: number, news: { fromSec?: number } = {}) {
  const clock = createManualClock(1_700_000_000_000)
  const stop = new AbortController()
  const startMs = clock.nowMs() - 137
  let looks = 0
  const readHead = async () => {
    looks += 1
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
  // Learning the time between blocks is over after that.
  await pass((8 * blockMs) / 50)
  looks = 0
  delays.splice(0)
  await pass(seconds * 20)
  stop.abort()
  await ended
  return {
    looksPerBlock: looks / ((seconds * 1000) / blockMs),
    meanDelay: delays.reduce((a, b) => a + b, 0) / delays.length,
  }
}

test.each([1_000, 2_000, 12_000])(
  'three that wait for blocks of %i ms share about one look a block, close behind it',
  async blockMs => {
    const { looksPerBlock, meanDelay } = await follow(blockMs, blockMs / 10)
    expect(looksPerBlock).toBeLessThan(1.4)
    expect(meanDelay).toBeLessThan(blockMs / 5)
  },
)

test('while no block can be news there is a look in four blocks at the most', async () => {
  const { looksPerBlock } = await follow(2_000, 240, { fromSec: Number.POSITIVE_INFINITY })
  expect(looksPerBlock).toBeLessThan(0.4)
  expect(looksPerBlock).toBeGreaterThan(0.1)
})
