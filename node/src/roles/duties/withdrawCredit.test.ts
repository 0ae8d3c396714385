import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import type { PeerNode } from '../peerNode.ts'
import { withdrawCredit } from './withdrawCredit.ts'

test('a credit is withdrawn once it is worth the gas, every few rounds', async () => {
  const journal = createJournal(openDatabase(':memory:'), createManualClock())
  const withdrawn: string[] = []
  const withdrawIn = async (round: number, creditWei: bigint) => {
    const chain = {
      account: '0x0a',
      readCredit: async () => creditWei,
      readGasPrice: async () => 2n,
      withdrawCredit: async (id: string) => {
        withdrawn.push(id)
        return { status: 'mined', hash: '0x', block: 1 }
      },
    }
    await withdrawCredit({ chain, journal, logger: silentLogger } as unknown as PeerNode, round)
  }
  // Ten times 45,000 gas.
  const worthIt = 900_000n
  await withdrawIn(5, 0n)
  await withdrawIn(9, worthIt)
  await withdrawIn(10, worthIt - 1n)
  await withdrawIn(15, worthIt)
  await withdrawIn(16, worthIt)
  expect(withdrawn).toEqual(['credit:15'])
})
