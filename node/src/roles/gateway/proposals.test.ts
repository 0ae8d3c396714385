import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createProposals } from './proposals.ts'

test('rounds that nobody can have proposed for cost no read of the chain, and others cost one while it is fresh', async () => {
  const reads: number[] = []
  const chain = {
    readProposals: async (round: number) => {
      reads.push(round)
      return []
    },
    readPeerId: async () => null,
  }
  const proposals = createProposals({ chain, clock: createManualClock(), currentRound: () => 7 })
  for (const round of [6, 7, 8, 9, 10, 999_999_999_999, 8]) expect(await proposals(round)).toEqual([])
  expect(reads).toEqual([6, 7, 8])
})
