import { expect, test } from 'vitest'
import { silentLogger } from '#core/logger.ts'
import type { PeerNode } from '../peerNode.ts'
import { withdrawCredit } from './withdrawCredit.ts'

test('a credit is withdrawn once it is worth the gas', async () => {
  const withdrawn: string[] = []
  const withdrawIn = async (round: number, creditWei: bigint) => {
    const chain = {
      account: '0x0a',
      readCredit: async () => creditWei,
      readDemandBond: async () => 400n,
      withdrawCredit: async (id: string) => {
        withdrawn.push(id)
        return { status: 'mined', hash: '0x', block: 1 }
      },
    }
    await withdrawCredit({ chain, logger: silentLogger } as unknown as PeerNode, round)
  }
  await withdrawIn(5, 0n)
  await withdrawIn(6, 99n)
  await withdrawIn(7, 400n)
  expect(withdrawn).toEqual(['credit:7'])
})
