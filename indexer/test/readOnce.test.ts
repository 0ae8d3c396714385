import { expect, onTestFinished, test, vi } from 'vitest'
import { createPace } from '../src/api/paceReads.ts'
import { readOnce } from '../src/api/readOnce.ts'

test('a count that fails is not repeated, and ends nothing if nobody awaits it', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  onTestFinished(() => void process.off('unhandledRejection', unhandled))
  const count = vi.fn(() => Promise.reject(new Error('the database refuses a value')))
  const { wrap } = readOnce({ count })
  const read = (database: unknown) => (database as { count: typeof count }).count()
  // As Ponder does, and goes on to read a cursor, which throws.
  void wrap(read).then(() => 'told')
  void wrap({ label: 'count' }, read)
    .then(() => 'told')
    .finally(() => {})
  // Node reports rejections without a handler at the end of a turn.
  await new Promise(resolve => setImmediate(resolve))
  expect(unhandled).not.toHaveBeenCalled()
  expect(count).toHaveBeenCalledTimes(2)
  await expect(wrap(read).then(() => 'told')).rejects.toThrow('refuses')
  expect(await wrap(async () => [{ count: 3 }]).then(rows => rows)).toEqual([{ count: 3 }])
})

test('a read that nobody awaits is waited for by what comes next', async () => {
  const { wrap, settled } = readOnce({})
  let refuse = (_: Error) => {}
  void wrap(() => new Promise((_, reject) => (refuse = reject))).then(() => 'told')
  const { afterOthers, atRest } = createPace(settled)
  const failing = Array.from({ length: 4 }, () => afterOthers(() => Promise.reject(new Error('a false cursor'))))
  await Promise.allSettled(failing)
  let next = 'waits'
  const following = afterOthers(() => (next = 'is read'))
  await new Promise(resolve => setImmediate(resolve))
  expect(next).toBe('waits')
  refuse(new Error('the database refuses a value'))
  await following
  await atRest()
  expect(next).toBe('is read')
})

test('a slow list is waited for by those of its own turn, and by no others', async () => {
  const { wrap, settled } = readOnce({})
  const { afterOthers } = createPace(settled)
  const { promise: slow, resolve } = Promise.withResolvers<string>()
  const waiting = afterOthers(() => wrap(() => slow))
  // Four are read at a time, so that the fifth has the turn of the first.
  const others = Promise.all(Array.from({ length: 3 }, (_, at) => afterOthers(() => wrap(async () => at))))
  const fifth = afterOthers(() => wrap(async () => 'after the slow one'))
  const following = Promise.all(Array.from({ length: 3 }, (_, at) => afterOthers(() => wrap(async () => at))))
  expect([await others, await following]).toEqual([
    [0, 1, 2],
    [0, 1, 2],
  ])
  resolve('slow')
  expect([await waiting, await fifth]).toEqual(['slow', 'after the slow one'])
})
