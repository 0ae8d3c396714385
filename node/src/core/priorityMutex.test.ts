import { expect, test } from 'vitest'
import { createPriorityMutex } from './priorityMutex.ts'

test('one works at a time, and of those that wait the first place is next', async () => {
  const { run } = createPriorityMutex()
  const began: string[] = []
  const first = Promise.withResolvers<void>()
  const work = (place: string) => run(place, async () => void began.push(place))
  const all = [run('5', () => first.promise), work('3'), work('1'), work('2')]
  await Promise.resolve()
  expect(began).toEqual([])
  first.resolve()
  await Promise.all(all)
  expect(began).toEqual(['1', '2', '3'])
})

test('a failure ends its turn', async () => {
  const { run } = createPriorityMutex()
  const failing = run('1', () => Promise.reject(new Error('no')))
  const next = run('2', async () => 'yes')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('yes')
})
