import { expect, test } from 'vitest'
import { readAhead } from './readAhead.ts'

const listOf = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = []
  for await (const one of source) list.push(one)
  return list
}

test('an iteration is read before anybody asks, and given in its order', async () => {
  const read: number[] = []
  const ended = Promise.withResolvers<void>()
  async function* source() {
    for (const n of [1, 2, 3]) {
      read.push(n)
      yield { n }
    }
    ended.resolve()
  }
  const ahead = readAhead(source())
  await ended.promise
  expect(read).toEqual([1, 2, 3])
  expect(await listOf(ahead)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
})

test('an item that arrives during a wait is given at once', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  async function* source() {
    for (const [n, gate] of gates.entries()) {
      await gate.promise
      yield { n }
    }
  }
  const ahead = readAhead(source())
  for (const [n, gate] of gates.entries()) {
    const next = ahead.next()
    gate.resolve()
    expect(await next).toEqual({ value: { n }, done: false })
  }
  expect(await ahead.next()).toEqual({ value: undefined, done: true })
})

test('a failure is reported after the output before it', async () => {
  async function* source() {
    yield { n: 1 }
    throw new Error('no more')
  }
  const ahead = readAhead(source())
  expect((await ahead.next()).value).toEqual({ n: 1 })
  await expect(ahead.next()).rejects.toThrow('no more')
})

test('a failure that nobody asks for is nobody’s', async () => {
  // biome-ignore lint/correctness/useYield: it fails before
  async function* source(): AsyncGenerator<object> {
    throw new Error('unheard')
  }
  readAhead(source())
  await new Promise(resolve => setImmediate(resolve))
})
