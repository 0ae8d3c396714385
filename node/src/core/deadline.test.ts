import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { beforeAbort, withDeadline } from './deadline.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const aborted = (signal: AbortSignal) => new Promise(resolve => signal.addEventListener('abort', resolve))

test('it aborts in time although nobody else holds it, with a reason that says so', async () => {
  const signal = withDeadline(new AbortController().signal, 20)
  collect()
  await aborted(signal)
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
})

test('it aborts with the other signal, for its reason', () => {
  const stop = new AbortController()
  const signal = withDeadline(stop.signal, 1e6)
  expect(signal.aborted).toBe(false)
  stop.abort('stopping')
  expect(signal.reason).toBe('stopping')
})

test('a signal that is already aborted aborts it too', () => {
  expect(withDeadline(AbortSignal.abort('gone'), 1e6).reason).toBe('gone')
})

test('a time that no timer holds is a long one', async () => {
  const signal = withDeadline(undefined, 2 ** 40)
  await new Promise(resolve => setTimeout(resolve, 5))
  expect(signal.aborted).toBe(false)
})

test('without another signal it is a time', async () => {
  const signal = withDeadline(undefined, 0)
  await aborted(signal)
  expect(signal.aborted).toBe(true)
})

test('work that comes before the abort gives its result, and else the reason is thrown', async () => {
  const stop = new AbortController()
  expect(await beforeAbort(Promise.resolve(1), stop.signal)).toBe(1)
  const waiting = beforeAbort(new Promise(() => {}), stop.signal)
  stop.abort('stopping')
  await expect(waiting).rejects.toBe('stopping')
  await expect(beforeAbort(new Promise(() => {}), stop.signal)).rejects.toBe('stopping')
})
