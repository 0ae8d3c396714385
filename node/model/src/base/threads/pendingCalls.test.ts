import { expect, test } from 'vitest'
import { NodeError } from '../errors.ts'
import { PendingCalls } from './pendingCalls.ts'
import { answerCall, type Call, WorkerError } from './workerCalls.ts'

class Refusal extends NodeError {
  readonly code = 'REFUSAL'
}

const end = (code: string) => new WorkerError({ message: 'it is gone', code, hint: 'Ask another.', retryable: true })

function setUp() {
  const sent: Call[] = []
  let nowMs = 0
  const calls = new PendingCalls<'add' | 'fail'>(
    call => void sent.push(call),
    () => nowMs,
  )
  return { calls, sent, wait: (ms: number) => (nowMs += ms) }
}

test('answers find their calls, in whatever order they come', async () => {
  const { calls, sent } = setUp()
  const [one, other] = [calls.ask('add', [1]), calls.ask('add', [2])]
  expect(sent.map(({ args }) => args)).toEqual([[1], [2]])
  calls.settle({ id: sent[1]?.id as number, result: 'second' })
  calls.settle({ id: sent[0]?.id as number, result: undefined })
  expect(await Promise.all([one, other])).toEqual([undefined, 'second'])
  expect(calls.size).toBe(0)
  calls.settle({ id: sent[0]?.id as number, result: 'again' })
  calls.settle({ id: 99, result: 'nobody asked' })
})

test('the oldest open call is known, with its age', () => {
  const { calls, sent, wait } = setUp()
  expect(calls.oldest).toBeUndefined()
  void calls.ask('add', [])
  wait(10)
  void calls.ask('fail', [])
  expect(calls.oldest).toEqual({ operation: 'add', waitedMs: 10 })
  calls.settle({ id: sent[0]?.id as number, result: 0 })
  wait(5)
  expect(calls.oldest).toEqual({ operation: 'fail', waitedMs: 5 })
})

test('the end of a worker rejects what is open and what is asked later, by the first reason', async () => {
  const { calls, sent } = setUp()
  const open = calls.ask('add', [])
  calls.end(end('CLOSED'))
  calls.end(end('CRASHED'))
  await expect(open).rejects.toMatchObject({ code: 'CLOSED', retryable: true })
  await expect(calls.ask('add', [])).rejects.toBe(calls.ended)
  expect(sent).toHaveLength(1)
})

test('a call that cannot be sent is not waited for', async () => {
  const calls = new PendingCalls<'add'>(call => void structuredClone(call))
  await expect(calls.ask('add', [() => 0])).rejects.toThrow('could not be cloned')
  expect(calls.size).toBe(0)
})

test('an error of the worker comes with its code and hint; what nobody foresaw is a defect', async () => {
  const handlers = {
    add: (a: number, b: number) => a + b,
    fail: () => Promise.reject(new Refusal('no', { hint: 'Ask nicely.' })),
    break: () => [].at(0),
  }
  const ask = (operation: string, given: object | Promise<object> = handlers) =>
    answerCall({ id: 7, operation, args: [1, 2] }, given, 'DEFECT')
  expect(await ask('add')).toEqual({ id: 7, result: 3 })
  expect(await ask('break')).toEqual({ id: 7, result: undefined })
  expect(await ask('nothing')).toMatchObject({ id: 7, error: { code: 'DEFECT' } })
  const refused = await ask('fail')
  expect(refused).toMatchObject({ id: 7, error: { code: 'REFUSAL', message: 'no', hint: 'Ask nicely.' } })
  const unopened = Promise.reject(new Refusal('not open', { hint: 'Open it.' }))
  expect(await ask('add', unopened)).toMatchObject({ error: { message: 'not open' } })

  const { calls, sent } = setUp()
  const open = calls.ask('fail', [])
  calls.settle({ ...refused, id: sent[0]?.id as number })
  await expect(open).rejects.toMatchObject({ code: 'REFUSAL', hint: 'Ask nicely.', retryable: false })
})
