import { getEventListeners } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createManualClock, networkClock, systemClock } from './clock.ts'

test('a manual clock wakes sleepers in the order of their time', async () => {
  const clock = createManualClock(1000)
  const woken: string[] = []
  const late = clock.sleep(20).then(() => woken.push('late'))
  const early = clock.sleep(10).then(() => woken.push('early'))
  expect(clock.sleepers()).toBe(2)
  clock.advance(9)
  expect(clock.sleepers()).toBe(2)
  clock.advance(11)
  await Promise.all([late, early])
  expect(woken).toEqual(['early', 'late'])
  expect(clock.nowMs()).toBe(1020)
})

test('a sleep that has ended leaves nothing at its signal, on either clock', async () => {
  const manual = createManualClock()
  for (const clock of [manual, systemClock]) {
    const { signal } = new AbortController()
    const slept = clock.sleep(1, signal)
    manual.advance(1)
    await slept
    expect(getEventListeners(signal, 'abort')).toEqual([])
  }
})

test('an aborted sleep rejects with the reason, on either clock', async () => {
  for (const clock of [createManualClock(), systemClock]) {
    const controller = new AbortController()
    const sleep = clock.sleep(60_000, controller.signal)
    controller.abort(new Error('stop'))
    await expect(sleep).rejects.toThrow('stop')
    await expect(clock.sleep(60_000, controller.signal)).rejects.toThrow('stop')
  }
})

test('the system clock sleeps', async () => {
  const before = systemClock.nowMs()
  await systemClock.sleep(5)
  expect(systemClock.nowMs() - before).toBeGreaterThanOrEqual(4)
})

test('a sleep that no timer holds is a long one', async () => {
  const stop = new AbortController()
  const sleep = systemClock.sleep(2 ** 40, stop.signal)
  await systemClock.sleep(5)
  stop.abort('stopping')
  await expect(sleep).rejects.toBe('stopping')
})

const YEAR_MS = 365 * 24 * 3_600_000
const HOUR_MS = 3_600_000

test.each([
  { name: 'the system clock', clock: systemClock, speed: 1 },
  { name: 'the network clock', clock: networkClock, speed: 0.9 },
])(
  '$name never falls when that of the machine is set back, and follows it forward; its speed is then $speed',
  ({ clock, speed }) => {
    const dateNow = vi.spyOn(Date, 'now')
    const performanceNow = vi.spyOn(performance, 'now')
    onTestFinished(() => void vi.restoreAllMocks())
    const [wallMs, steadyMs] = [clock.nowMs(), performance.now()]
    const at = (wall: number, steady: number) => {
      dateNow.mockReturnValue(wallMs + wall)
      performanceNow.mockReturnValue(steadyMs + steady)
      return clock.nowMs() - wallMs
    }
    expect(at(1_000, 1_000)).toBe(1_000)
    const before = at(-YEAR_MS, 1_000)
    expect(before).toBeGreaterThanOrEqual(1_000)
    expect(at(5_000 - YEAR_MS, 6_000) - before).toBe(5_000 * speed)
    const often = at(5_000 - YEAR_MS, 6_000)
    for (let ms = 0.5; ms <= 500; ms += 0.5) at(5_000 - YEAR_MS + ms, 6_000 + ms)
    expect(at(5_500 - YEAR_MS, 6_500) - often).toBe(500 * speed)
    expect(at(HOUR_MS, 6_500)).toBe(HOUR_MS)
    // The hour was wrong.
    expect(at(5 * HOUR_MS, 5 * HOUR_MS + 6_500)).toBe((1 + 5 * speed) * HOUR_MS)
    expect(at(11 * HOUR_MS, 11 * HOUR_MS + 6_500)).toBe(Math.max(11, 1 + 11 * speed) * HOUR_MS)
  },
)
