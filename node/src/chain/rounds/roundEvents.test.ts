import { expect, test } from 'vitest'
import type { FollowedChain } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { createEventReader } from './roundEvents.ts'

test('rounds that never were have no events, and the chain is not asked for them', async () => {
  const { inRounds } = createEventReader({} as FollowedChain, {} as Contracts)
  expect(await inRounds({ first: -2, last: -2 }, async () => [1])).toEqual([])
})
