import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import type { PeerNode } from '../peerNode.ts'
import { claimEarnings } from './claimEarnings.ts'

/** A node that has earned so much in every round; the rounds in which it claims. */
function setup(earnedWei: bigint) {
  const claims: number[] = []
  const chain = {
    readNectar: async () => ({ claimableWei: earnedWei }),
    claimNectar: async (round: number) => {
      claims.push(round)
      return { status: 'mined', hash: '0x', block: 1 } as const
    },
  }
  const journal = createJournal(openDatabase(':memory:'), createManualClock())
  const node = { chain, identity: { peerKey: '0x' }, journal, logger: silentLogger } as unknown as PeerNode
  return { node, claims }
}

test('the first earnings are claimed at once, the rest every fifth round', async () => {
  const { node, claims } = setup(7n)
  for (let round = 3; round < 12; round++) await claimEarnings(node, round)
  expect(claims).toEqual([3, 8])
})

test('a peer that plays every fifth round claims in each', async () => {
  const { node, claims } = setup(7n)
  for (const round of [3, 8, 13]) await claimEarnings(node, round)
  expect(claims).toEqual([3, 8, 13])
})

test('without earnings nothing is sent', async () => {
  const { node, claims } = setup(0n)
  await claimEarnings(node, 5)
  expect(claims).toEqual([])
})
