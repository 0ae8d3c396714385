import { expect, test } from 'vitest'
import type { RoundClock } from '#chain/roundClock.ts'
import { freshnessOf, STALE_AFTER_SEC, shownFreshness } from './freshness.ts'

const running = (blockSec: number): RoundClock => ({
  ...{ state: 'running', round: 7, startsAtSec: 0, endsAtSec: 1_000, finalityRounds: 3 },
  ...{ blockSec, skewSec: 5 },
})
const live = (headSec: number | null) => ({ connection: 'live' as const, headSec, lostAtMs: null })

test('an open stream whose newest block is far behind the chain is stale since that block', () => {
  expect(freshnessOf(live(100), running(100 + STALE_AFTER_SEC))).toEqual({ state: 'live' })
  expect(freshnessOf(live(100), running(101 + STALE_AFTER_SEC))).toEqual({ state: 'stale', sinceMs: 95_000 })
})

test('a chain that stands still, or does not answer, makes nothing stale', () => {
  expect(freshnessOf(live(100), running(100))).toEqual({ state: 'live' })
  expect(freshnessOf(live(100), { state: 'down', url: 'http://127.0.0.1' })).toEqual({ state: 'live' })
  expect(freshnessOf(live(null), running(500))).toEqual({ state: 'live' })
})

test('a lost stream says since when, where it was there before', () => {
  const lost = { connection: 'lost' as const, headSec: 100, lostAtMs: 4_000 }
  expect(freshnessOf(lost, running(101))).toEqual({ state: 'lost', sinceMs: 4_000 })
  expect(freshnessOf({ ...lost, lostAtMs: null }, running(101))).toEqual({ state: 'lost', sinceMs: null })
})

test('an index that did not answer the page is not called live, though its stream is there', () => {
  expect(shownFreshness({ state: 'live' }, true)).toEqual({ state: 'slow' })
  expect(shownFreshness({ state: 'live' }, false)).toEqual({ state: 'live' })
  expect(shownFreshness({ state: 'lost', sinceMs: 7 }, true)).toEqual({ state: 'lost', sinceMs: 7 })
})
