import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createKeptAnswer } from './keptAnswer.ts'

test('a read is shared for three seconds, and one that failed is repeated', async () => {
  const clock = createManualClock()
  let reads = 0
  const answer = createKeptAnswer(clock, async () => {
    reads += 1
    if (reads === 2) throw new Error('down')
    return reads
  })
  expect(await Promise.all([answer(), answer()])).toEqual([1, 1])
  clock.advance(2_999)
  expect(await answer()).toBe(1)
  clock.advance(1)
  await expect(answer()).rejects.toThrow('down')
  expect(await answer()).toBe(3)
})
