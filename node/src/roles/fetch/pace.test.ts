import { expect, test } from 'vitest'
import type { Clock } from '#core/clock.ts'
import { belowPace } from './pace.ts'

test('bytes that came while the event loop was held up count: who sent them is not slow', async () => {
  const stop = new AbortController()
  let received = 0
  let windows = 0
  // After a stall timers run first; what lies ready in sockets is read behind them, in the same turn.
  const sleep = async (): Promise<void> => {
    windows += 1
    if (windows > 5) stop.abort(new Error('the transfer is over'))
    stop.signal.throwIfAborted()
    setImmediate(() => {
      received += 2000
    })
  }
  const clock: Clock = { nowMs: () => 0, sleep }
  const pace = { graceMs: 2_000, windowMs: 1_000, minBytesPerSecond: 1_000 }
  await expect(belowPace(pace, () => received, clock, stop.signal)).rejects.toThrow('the transfer is over')
})
