import { expect, test } from 'vitest'
import { isMissing, isProven, type PeerResult, peerFault, resultInTime } from './peerResult.ts'

const never = new AbortController().signal
const hanging = new Promise<PeerResult<number>>(() => {})

test('work that does not end is given up in time, and what came too late is demanded of nobody', async () => {
  const due = new AbortController()
  const waiting = resultInTime(hanging, due.signal, never)
  due.abort()
  const late = await waiting
  expect(late).toMatchObject({ ok: false, fault: 'no time' })
  if (!late.ok) expect([isMissing(late), isProven(late)]).toEqual([false, false])
  expect(isMissing(peerFault('unavailable', 'nobody has it'))).toBe(true)
  expect(await resultInTime(Promise.resolve({ ok: true, value: 1 }), never, never)).toEqual({ ok: true, value: 1 })
})

test('work that a stop cuts short has no result', async () => {
  const stop = new AbortController()
  const waiting = resultInTime(hanging, stop.signal, stop.signal)
  stop.abort(new Error('stopping'))
  await expect(waiting).rejects.toThrow('stopping')
})
