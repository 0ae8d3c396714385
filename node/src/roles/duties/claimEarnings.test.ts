import { expect, test } from 'vitest'
import { silentLogger } from '#core/logger.ts'
import type { PeerNode } from '../peerNode.ts'
import { claimEarnings } from './claimEarnings.ts'

/** A node that has earned so much in every round; the rounds in which it claims. */
function setup(earnedWei: bigint) {
  const claims: number[] = []
  let claimedWei = 0n
  const chain = {
    readNectar: async () => ({ claimableWei: earnedWei, claimedWei }),
    claimNectar: async (round: number) => {
      claims.push(round)
      claimedWei += earnedWei
      return { status: 'mined', hash: '0x', block: 1 } as const
    },
  }
  const node = { chain, identity: { peerKey: '0x' }, logger: silentLogger } as unknown as PeerNode
  return { node, claims }
}

test('the first earnings are claimed at once, the rest every fifth round', async () => {
  const { node, claims } = setup(7n)
  for (let round = 3; round < 12; round++) await claimEarnings(node, round)
  expect(claims).toEqual([3, 5, 10])
})

test('without earnings nothing is sent', async () => {
  const { node, claims } = setup(0n)
  await claimEarnings(node, 5)
  expect(claims).toEqual([])
})
