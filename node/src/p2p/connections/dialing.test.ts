import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import type { DialSchedule } from '../membership/dialSchedule.ts'
import { startDialing } from './dialing.ts'

test('a peer that hears of a thousand others in a second reads its schedule a few times', async () => {
  const clock = createManualClock()
  let reads = 0
  const schedule: DialSchedule = {
    next() {
      reads += 1
      return null
    },
    waitMs: () => 5_000,
    ended() {},
    lost() {},
  }
  const dialing = startDialing({ schedule, dial: async () => '', clock, logger: silentLogger })
  for (let heard = 0; heard < 1_000; heard++) {
    dialing.wake()
    clock.advance(1)
    await new Promise(resolve => setImmediate(resolve))
  }
  expect(reads).toBeGreaterThan(1)
  expect(reads).toBeLessThan(8)
  const stopped = dialing.stop()
  clock.advance(1)
  await stopped
})
