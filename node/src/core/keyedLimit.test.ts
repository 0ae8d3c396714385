import { expect, test } from 'vitest'
import { createKeyedLimit } from './keyedLimit.ts'

test('no more than the limit run under one key, in order, and other keys do not wait', async () => {
  const limit = createKeyedLimit(2)
  const started: string[] = []
  const gates = new Map<string, () => void>()
  const work = (name: string) => () =>
    new Promise<string>(resolve => {
      started.push(name)
      gates.set(name, () => resolve(name))
    })
  const all = [
    limit.run('k', work('a')),
    limit.run('k', work('b')),
    limit.run('k', work('c')),
    limit.run('l', work('d')),
  ]
  await new Promise(resolve => setImmediate(resolve))
  expect(started).toEqual(['a', 'b', 'd'])
  gates.get('b')?.()
  await all[1]
  await new Promise(resolve => setImmediate(resolve))
  expect(started).toEqual(['a', 'b', 'd', 'c'])
  for (const open of gates.values()) open()
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
})

test('a failure frees its place', async () => {
  const limit = createKeyedLimit(1)
  await expect(limit.run('k', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await limit.run('k', async () => 1)).toBe(1)
})

test('an aborted waiter leaves the queue, and the next one takes its place', async () => {
  const limit = createKeyedLimit(1)
  const first = Promise.withResolvers<void>()
  const stop = new AbortController()
  const running = limit.run('a', () => first.promise)
  const waiting = limit.run('a', async () => 'never', stop.signal)
  const last = limit.run('a', async () => 'last')
  stop.abort(new Error('no time'))
  await expect(waiting).rejects.toThrow('no time')
  first.resolve()
  await running
  expect(await last).toBe('last')
})
