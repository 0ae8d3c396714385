import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPatience, watchSilence } from './silenceWatch.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const MINUTE = 60_000

function watched(patience = createPatience()) {
  const found: number[] = []
  const work = { isThere: true }
  const watch = watchSilence(
    patience,
    () => work.isThere,
    silentMs => found.push(silentMs / MINUTE),
    () => Date.now(),
  )
  return { found, work, watch, pass: (minutes: number) => vi.advanceTimersByTime(minutes * MINUTE) }
}

test('a worker that is silent for ten minutes hangs; one that gives signs of life may take hours', () => {
  const { found, watch, pass } = watched()
  for (let minute = 0; minute < 200; minute++) {
    pass(1)
    watch.heard()
  }
  pass(10)
  expect(found).toEqual([])
  pass(1)
  expect(found).toEqual([expect.closeTo(10, 0)])
  pass(100)
  expect(found).toHaveLength(1)
})

test('a worker without work may be silent, and its time begins with its work', () => {
  const { found, work, pass } = watched()
  work.isThere = false
  pass(100)
  work.isThere = true
  pass(9)
  expect(found).toEqual([])
  pass(2)
  expect(found).toHaveLength(1)
})

test('the limit follows what the work took, and doubles where a worker was ended until one gets there', () => {
  const patience = createPatience()
  const minutes = () => patience.limitMs() / MINUTE
  expect(minutes()).toBe(10)
  patience.survived(2 * MINUTE)
  expect(minutes()).toBe(10)
  patience.survived(6 * MINUTE)
  expect(minutes()).toBe(24)
  patience.lost()
  patience.lost()
  expect(minutes()).toBe(96)
  patience.answered()
  expect(minutes()).toBe(24)
})

test('a watcher that was suspended does not take its own silence for that of others', () => {
  const { found, pass } = watched()
  pass(5)
  vi.setSystemTime(Date.now() + 300 * MINUTE)
  pass(9)
  expect(found).toEqual([])
  pass(2)
  expect(found).toHaveLength(1)
})

test('the first message of a worker after such a suspension makes no watcher more patient', () => {
  const patience = createPatience()
  const { watch, pass } = watched(patience)
  pass(5)
  vi.setSystemTime(Date.now() + 300 * MINUTE)
  watch.heard()
  expect(patience.limitMs()).toBe(10 * MINUTE)
})
