import { expect, test } from 'vitest'
import { listStandings } from './listStandings.ts'

test('peers are ordered by all their points, then by registration', async () => {
  const points: Record<string, bigint> = { '0x1': 500n, '0x2': 1_500n, '0x3': 500n }
  const asked: unknown[] = []
  const rpc = {
    getContractEvents: async () => ['0x1', '0x2', '0x3'].map(key => ({ args: registration(key) })),
    readContract: async ({ args: [key], blockNumber }: { args: [string]; blockNumber: bigint }) => {
      asked.push(blockNumber)
      return points[key]
    },
  }
  const client = { rpc, rpcUrl: 'http://127.0.0.1', heads: { read: async () => ({ number: 9 }) } }
  const contracts = { startBlock: 1, peerRegistry: {}, rewardVotes: {} }
  const { block, standings } = await listStandings({ client, contracts } as never, 10)
  expect(block).toBe(9)
  expect(standings).toMatchObject([
    { rank: 1, peerId: 'peer 0x2', pointsMilli: 1_500 },
    { rank: 2, peerId: 'peer 0x1', pointsMilli: 500 },
    { rank: 3, peerId: 'peer 0x3' },
  ])
  expect(asked).toEqual([9n, 9n, 9n])
  const best = await listStandings({ client, contracts } as never, 1)
  expect(best.standings).toMatchObject([{ rank: 1, peerId: 'peer 0x2' }])
})

const registration = (peerKey: string) => ({ peerKey, peerId: `peer ${peerKey}`, fromRound: 0n })
