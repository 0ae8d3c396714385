import { expect, test } from 'vitest'
import type { Scorer } from '#model/scoring/score.ts'
import { createHeldScorer } from './heldScorer.ts'

test('a scorer is opened once for uses in a row, and again after its release', async () => {
  const events: string[] = []
  const held = createHeldScorer(async () => {
    events.push('opened')
    return { dispose: async () => void events.push('disposed') } as unknown as Scorer
  })
  await held.release()
  expect(await held.use()).toBe(await held.use())
  await held.release()
  await held.release()
  await held.use()
  expect(events).toEqual(['opened', 'disposed', 'opened'])
})

test('a scorer that could not be opened is opened by the next use', async () => {
  let isShort = true
  const scorer = {} as Scorer
  const held = createHeldScorer(async () => {
    if (isShort) throw new Error('no memory')
    return scorer
  })
  await expect(held.use()).rejects.toThrow('no memory')
  isShort = false
  expect(await held.use()).toBe(scorer)
})
