import { expect, test } from 'vitest'
import { mapConcurrently } from './mapConcurrently.ts'

test('at most as many run at a time as are allowed, and results keep the order of the items', async () => {
  const finish: (() => void)[] = []
  let running = 0
  const mapping = mapConcurrently(['a', 'b', 'c'], 2, async (item, index) => {
    running += 1
    await new Promise<void>(resolve => finish.push(resolve))
    running -= 1
    return `${item}${index}`
  })
  expect(running).toBe(2)
  finish[1]?.()
  await expect.poll(() => finish.length).toBe(3)
  expect(running).toBe(2)
  finish[2]?.()
  finish[0]?.()
  expect(await mapping).toEqual(['a0', 'b1', 'c2'])
})

test('an item that fails fails the whole', async () => {
  await expect(mapConcurrently([1, 2], 1, async item => Promise.reject(new Error(`${item}`)))).rejects.toThrow('1')
  expect(await mapConcurrently([], 4, async item => item)).toEqual([])
})
