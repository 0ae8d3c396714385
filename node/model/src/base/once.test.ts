import { expect, test } from 'vitest'
import { once } from './once.ts'

test('makes a value once for each key', async () => {
  const made = new Map<string, Promise<number>>()
  let count = 0
  const make = async () => ++count
  expect(await Promise.all([once(made, 'a', make), once(made, 'a', make), once(made, 'b', make)])).toEqual([1, 1, 2])
})

test('makes a value again if it failed, and keeps no failure', async () => {
  const made = new Map<string, Promise<number>>()
  const shortage = async () => Promise.reject(new Error('out of memory'))
  await expect(once(made, 'a', shortage)).rejects.toThrow('out of memory')
  expect(made.size).toBe(0)
  expect(await once(made, 'a', async () => 1)).toBe(1)
})
