import { expect, test } from 'vitest'
import type { LeafDemand, MissingLeaf } from '#chain/challenges/leafDemands.ts'
import type { TxOutcome } from '#chain/outbox/outbox.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { environmentFrom } from '#environments/codezero/presets.ts'
import { sampledLeaves } from '../draws/drawCommittee.ts'
import type { PeerNode } from '../peerNode.ts'
import { closeOwnDemands, demandMissing } from './demandMissing.ts'

const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const spec = environmentFrom('starter')
const beacon = word('be')
const mined: TxOutcome = { status: 'mined', hash: word('01'), block: 1 }

function missing(peer: string, count = spec.owedLeaves) {
  const commitment = { peerKey: word(peer), root: word('02'), count, contentId: word('03'), policyHash: word('04') }
  return { round: 7, beacon, commitment: { ...commitment, ordinal: 0, block: 1 } }
}

function nodeWith(balanceWei: bigint, demands: Partial<LeafDemand>[] = []) {
  const demanded: MissingLeaf[] = []
  const closed: LeafDemand[] = []
  const chain = {
    account: word('0a'),
    readDemandBond: async () => 10n,
    readBalance: async () => balanceWei,
    readDemands: async ({ first, last }: { first: number; last: number }) =>
      demands.filter(({ throughRound = 0 }) => throughRound - 1 >= first && throughRound - 1 <= last),
    demandLeaf: async (leaf: MissingLeaf) => {
      demanded.push(leaf)
      return mined
    },
    closeDemand: async (demand: LeafDemand) => {
      closed.push(demand)
      return mined
    },
  }
  const node = { chain, chainId: 1, environment: { spec }, logger: silentLogger } as unknown as PeerNode
  return { node, demanded, closed }
}

test('as many leaves are demanded as the budget says, each of those that were sampled and committed', async () => {
  const { node, demanded } = nodeWith(1_000n)
  await demandMissing(node, [missing('11', 3), missing('12'), missing('13')], 2)
  expect(demanded.map(({ commitment }) => commitment.peerKey)).toEqual([word('11'), word('12')])
  for (const { round, place, commitment } of demanded) {
    const index = sampledLeaves(1, round, beacon, commitment.peerKey, spec)[place]
    expect(index).toBeLessThan(commitment.count)
  }
})

test('without a budget, or without funds for the bond and the votes, nothing is demanded', async () => {
  for (const [balanceWei, budget] of [
    [1_000n, 0],
    [39n, 5],
  ] as const) {
    const { node, demanded } = nodeWith(balanceWei)
    await demandMissing(node, [missing('11')], budget)
    expect(demanded).toEqual([])
  }
})

test('demands that wait count against the balance', async () => {
  const { node, demanded } = nodeWith(55n)
  await demandMissing(node, [missing('11'), missing('12'), missing('13')], 16)
  expect(demanded).toHaveLength(2)
})

test('only own demands that are still open are closed', async () => {
  const own = { challenger: word('0a'), round: 4, peerKey: word('11'), index: 1, throughRound: 6 }
  const demands: Partial<LeafDemand>[] = [
    { ...own, state: 'open' },
    { ...own, index: 2, state: 'shown' },
    { ...own, challenger: word('0b'), state: 'open' },
  ]
  const { node, closed } = nodeWith(1_000n, demands)
  await closeOwnDemands(node, 7)
  expect(closed).toEqual([demands[0]])
  await closeOwnDemands(node, 2)
  expect(closed.length).toBe(1)
})

test('a demand is closed after the node or the chain stood still for rounds, and as long as the chain refuses', async () => {
  const demand: Partial<LeafDemand> = {
    challenger: word('0a'),
    round: 9,
    peerKey: word('11'),
    index: 1,
    throughRound: 11,
  }
  const { node, closed } = nodeWith(1_000n, [{ ...demand, state: 'open' }])
  for (const round of [14, 15, 22, 23]) await closeOwnDemands(node, round)
  expect(closed).toHaveLength(3)
})
