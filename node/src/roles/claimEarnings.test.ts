import { expect, test } from 'vitest'
import { silentLogger } from '#core/logger.ts'
import { claimEarnings } from './claimEarnings.ts'
import type { PeerNode } from './peerNode.ts'

/** A node that has earned so much; the rounds in which it claims. */
function setup(claimableWei: bigint) {
  const claims: number[] = []
  const chain = {
    readNectar: async () => ({ claimableWei, claimedWei: 0n }),
    claimNectar: async (round: number) => {
      claims.push(round)
      return { status: 'mined', hash: '0x', block: 1 } as const
    },
  }
  const node = { chain, identity: { peerKey: '0x' }, logger: silentLogger } as unknown as PeerNode
  return { node, claims }
}

test('what was earned is claimed every fifth round', async () => {
  const { node, claims } = setup(7n)
  for (let round = 0; round < 12; round++) await claimEarnings(node, round)
  expect(claims).toEqual([0, 5, 10])
})

test('nothing earned sends nothing', async () => {
  const { node, claims } = setup(0n)
  await claimEarnings(node, 5)
  expect(claims).toEqual([])
})
