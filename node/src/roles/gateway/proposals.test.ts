import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createProposals } from './proposals.ts'

function scene(round: number) {
  const reads: number[] = []
  const chain = {
    readProposals: async (at: number) => {
      reads.push(at)
      return []
    },
  }
  const clock = createManualClock()
  return {
    reads,
    clock,
    proposals: createProposals({ chain, peerIds: async () => new Map(), clock, currentRound: () => round }),
  }
}

test('rounds that nobody can have proposed for cost no read of the chain, and others cost one while it is fresh', async () => {
  const { reads, proposals } = scene(7)
  for (const round of [6, 7, 8, 9, 10, 999_999_999_999, 8]) expect(await proposals(round)).toEqual([])
  expect(reads).toEqual([6, 7, 8])
})

test('requests for one old round after the other read four a second from the chain, and block nobody from the newest', async () => {
  const { reads, clock, proposals } = scene(10_000)
  const asked = Array.from({ length: 100 }, (_, round) => proposals(round))
  await Promise.all(asked.slice(0, 64))
  expect(await proposals(10_000)).toEqual([])
  expect(reads.length).toBe(65)
  clock.advance(1_000)
  await Promise.all(asked.slice(64, 68))
  expect(reads.length).toBe(69)
})
