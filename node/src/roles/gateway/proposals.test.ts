import { expect, test } from 'vitest'
import type { ChainReads } from '#chain/reads.ts'
import { createManualClock } from '#core/clock.ts'
import type { PeerKey } from '#core/hashes.ts'
import { encodeProposal } from '#core/payloads/taskProposal.ts'
import { createProposals } from './proposals.ts'

type Proposed = Awaited<ReturnType<ChainReads['readProposals']>>

function scene(round: number, proposedAt: (read: number) => Proposed = () => []) {
  const reads: number[] = []
  const chain = {
    readProposals: async (at: number) => {
      reads.push(at)
      return proposedAt(reads.length)
    },
  }
  const clock = createManualClock()
  const peerIds = async (keys: readonly PeerKey[]) => new Map(keys.map(key => [key, 'a peer']))
  return {
    reads,
    clock,
    proposals: createProposals({ chain, peerIds, clock, currentRound: () => round }),
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

test('an empty list of a finished round is asked for again after a minute, and another is kept', async () => {
  const bytes = encodeProposal({ level: 1, texts: ['a task'] })
  const proposed = [{ peerKey: `0x${'11'.repeat(32)}`, count: 1, bytes }] as unknown as Proposed
  const { reads, clock, proposals } = scene(7, read => (read === 1 ? [] : proposed))
  expect(await proposals(6)).toEqual([])
  clock.advance(59_000)
  expect(await proposals(6)).toEqual([])
  clock.advance(1_000)
  expect((await proposals(6)).map(({ texts }) => texts)).toEqual([['a task']])
  clock.advance(86_400_000)
  expect(await proposals(6)).toHaveLength(1)
  expect(reads).toEqual([6, 6])
})
