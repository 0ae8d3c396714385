import { once } from 'node:events'
import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { readingDeadline } from './readingDeadline.ts'

test('a reading ends while there is time for the others, and not before its least share of the round', async () => {
  const clock = createManualClock(1_000)
  const until = new AbortController().signal
  const of = (left: number, roundMs = 0) => readingDeadline(clock, { until, roundMs, endsAtMs: 1_060 }, left)
  const [third, last, least] = [of(3), of(1), of(60, 640)]
  const ended: string[] = []
  const watch = async (name: string, signal: AbortSignal) => {
    await once(signal, 'abort')
    ended.push(name)
  }
  await Promise.all([watch('last', last), watch('least', least), watch('third', third)])
  expect(ended).toEqual(['third', 'least', 'last'])
  expect(until.aborted).toBe(false)
})

test('a stop ends every reading', () => {
  const stop = new AbortController()
  const signal = readingDeadline(createManualClock(0), { until: stop.signal, roundMs: 600_000, endsAtMs: 600_000 }, 2)
  stop.abort()
  expect(signal.aborted).toBe(true)
})
