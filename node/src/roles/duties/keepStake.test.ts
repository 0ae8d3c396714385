import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import type { PeerNode } from '../peerNode.ts'
import { keepStake } from './keepStake.ts'

const BOOTSTRAP = 200
const contract = { address: `0x${'11'.repeat(20)}`, abi: (await import('@waggle/deployments/abi')).stakesAbi } as const
const token = { address: `0x${'22'.repeat(20)}`, abi: (await import('@waggle/deployments/abi')).nectarAbi } as const

type Means = {
  balanceWei: bigint
  claimableWei: bigint
  allowedWei?: bigint
  amountWei?: bigint
  freeFromRound?: number
}

/** A node with so much Nectar; the kinds of what it sends. */
function setup({ balanceWei, claimableWei, allowedWei = 0n, amountWei = 0n, freeFromRound = 0 }: Means) {
  const held = { amountWei, fullWei: 100n, freeFromRound }
  const journal = createJournal(openDatabase(':memory:'), createManualClock())
  const sent: string[] = []
  const mined = { status: 'mined', hash: '0x', block: 1 } as const
  const chain = {
    account: '0x',
    contracts: { stakes: contract, nectar: token },
    readBootstrapRounds: async () => BOOTSTRAP,
    readStake: async () => held,
    readStakeable: async () => ({ balanceWei, allowedWei }),
    readNectar: async () => ({ claimableWei, claimedWei: 0n }),
    claimNectar: async () => {
      sent.push('claim')
      return mined
    },
    send: async ({ key }: OutboxIntent) => {
      sent.push(key.split(':')[1] as string)
      return mined
    },
  }
  const identity = { peerKey: `0x${'33'.repeat(32)}` }
  return { node: { chain, identity, journal, logger: silentLogger } as unknown as PeerNode, sent, held }
}

test('a peer claims, allows and stakes shortly before bootstrap ends, and not long before', async () => {
  const { node, sent } = setup({ balanceWei: 40n, claimableWei: 60n })
  await keepStake(node, 'evaluator', BOOTSTRAP - 101)
  expect(sent).toEqual([])
  await keepStake(node, 'evaluator', BOOTSTRAP - 100)
  expect(sent).toEqual(['claim', 'approve', 'stake'])
})

test('an existing stake is neither claimed nor approved again, and a slashed stake is filled up', async () => {
  const { node, sent } = setup({ balanceWei: 10n, claimableWei: 0n, allowedWei: 10n, amountWei: 90n })
  await keepStake(node, 'proposer', BOOTSTRAP)
  expect(sent).toEqual(['stake'])
})

test.each([
  ['too little Nectar', { balanceWei: 40n, claimableWei: 59n }],
  ['a whole stake', { balanceWei: 100n, claimableWei: 0n, amountWei: 100n }],
  ['a notice given', { balanceWei: 100n, claimableWei: 0n, freeFromRound: 210 }],
])('%s sends nothing', async (_, means) => {
  const { node, sent } = setup(means)
  await keepStake(node, 'evaluator', BOOTSTRAP)
  expect(sent).toEqual([])
})

test('a peer that left does not stake again after its stake is withdrawn, until there is a stake without a notice', async () => {
  const { node, sent, held } = setup({ balanceWei: 100n, claimableWei: 0n, amountWei: 100n, freeFromRound: 210 })
  await keepStake(node, 'evaluator', BOOTSTRAP)
  Object.assign(held, { amountWei: 0n, freeFromRound: 0 })
  await keepStake(node, 'evaluator', BOOTSTRAP + 20)
  expect(sent).toEqual([])
  // Staked again by hand, and slashed since.
  held.amountWei = 90n
  await keepStake(node, 'evaluator', BOOTSTRAP + 21)
  expect(sent).toEqual(['approve', 'stake'])
})
