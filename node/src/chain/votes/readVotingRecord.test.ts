import { numberToHex } from 'viem'
import { expect, test } from 'vitest'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { readVotingRecord } from './readVotingRecord.ts'

const key = (number: number) => numberToHex(number, { size: 32 })
const account = (number: number) => numberToHex(number, { size: 20 })

/** A chain of some events of the registry, by block and number in it, and one settlement at (7, 3). */
function chainOf(registry: [blockNumber: bigint, logIndex: number, eventName: string, args: object][]) {
  const logs = registry.map(([blockNumber, logIndex, eventName, args]) => ({ blockNumber, logIndex, eventName, args }))
  const settled = { round: 4n, peerKey: key(1), scoreMilli: 700, votes: 3, outcome: 1 }
  const of: Record<string, unknown[]> = {
    registry: logs,
    votes: [{ blockNumber: 7n, logIndex: 3, eventName: 'Settled', args: settled }],
  }
  const rpc = {
    getContractEvents: async ({ address }: { address: string }) => of[address] ?? [],
    readContract: async () => 1_000n,
  }
  const contracts = {
    ...{ startBlock: 0, peerRegistry: { address: 'registry' }, rewardVotes: { address: 'votes' } },
    ...{ rounds: {}, rolloutCommitments: {}, challenges: {}, stakes: {} },
  }
  return readVotingRecord({ rpc, rpcUrl: 'x' } as unknown as ChainClient, contracts as unknown as Contracts, 9n)
}

test('the account of a settlement is the one that the events before it left, also within its block', async () => {
  const { rounds, accountAt } = await chainOf([
    [2n, 0, 'PeerRegistered', { peerKey: key(1), account: account(1) }],
    [7n, 2, 'PeerMoved', { peerKey: key(1), to: account(2) }],
    [7n, 4, 'PeerMoved', { peerKey: key(1), to: account(3) }],
  ])
  const [settlement] = rounds.get(4)?.settlements ?? []
  if (settlement === undefined) throw new Error('no settlement')
  expect(settlement).toMatchObject({ block: 7, logIndex: 3, outcome: 'scored' })
  expect(accountAt(key(1), settlement)).toBe(account(2))
  expect(accountAt(key(1), { block: 7, logIndex: 1 })).toBe(account(1))
  expect(accountAt(key(1), { block: 8, logIndex: 0 })).toBe(account(3))
  expect(accountAt(key(1), { block: 1, logIndex: 9 })).toBeNull()
})
