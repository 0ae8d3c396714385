import { expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import type { Endpoint } from './endpoint.ts'
import { createFollowedHead } from './followedHead.ts'

const NOW_SEC = 1_800_000_000
const [endpoint, other] = ['a', 'b'].map((origin): Endpoint => ({ origin, ask: async () => null }))
const headOf = (number: number, aheadSec: number) => {
  const timeSec = NOW_SEC + 2 * number
  return { number, timeSec: timeSec + aheadSec, hash: `0x${number}`, atMs: timeSec * 1000 }
}
const YEAR_SEC = 365 * 86_400

function followFrom(aheadSec: number) {
  const followed = createFollowedHead({ logger: silentLogger, holdMs: 60_000 })
  const first = headOf(1, aheadSec)
  expect(followed.faultOf(endpoint as Endpoint, first, () => true)).toBeNull()
  followed.take(first)
  return followed
}

test.each([true, false])(
  'a first header of next year is given up as soon as one agrees with the clock, whether no other endpoint works: %s',
  isOnly => {
    const followed = followFrom(YEAR_SEC)
    const true2 = headOf(2, 0)
    expect(followed.faultOf(other as Endpoint, true2, () => isOnly)).toBeNull()
    followed.take(true2)
    expect(followed.faultOf(endpoint as Endpoint, headOf(3, YEAR_SEC), () => isOnly)).toMatch('its time jumped')
    expect(followed.faultOf(endpoint as Endpoint, headOf(3, 0), () => isOnly)).toBeNull()
  },
)

test('a chain that leads a clock which is an hour behind is not given up for a header that agrees with that clock', () => {
  const followed = followFrom(3_600)
  expect(followed.faultOf(other as Endpoint, headOf(2, 0), () => true)).toMatch('its time fell')
})

test('an honest chain is followed for an hour after the clock of this machine was set back by an hour', () => {
  const [dateNow, performanceNow] = [vi.spyOn(Date, 'now'), vi.spyOn(performance, 'now')]
  onTestFinished(() => void vi.restoreAllMocks())
  const [wallMs, steadyMs] = [Date.now(), performance.now()]
  const followed = createFollowedHead({ logger: silentLogger, holdMs: 60_000 })
  const faults = new Set<string | null>()
  for (let sec = 0; sec <= 3_600; sec += 12) {
    dateNow.mockReturnValue(wallMs + (sec < 60 ? sec : sec - 3_600) * 1000)
    performanceNow.mockReturnValue(steadyMs + sec * 1000)
    const timeSec = Math.floor(wallMs / 1000) + sec
    const head = { number: sec / 12, timeSec, hash: `0x${sec}`, atMs: systemClock.nowMs() }
    faults.add(followed.faultOf(endpoint as Endpoint, head, () => false))
    followed.take(head)
  }
  expect([...faults]).toEqual([null])
})
