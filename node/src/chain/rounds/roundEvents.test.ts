import { expect, test } from 'vitest'
import { TooMuchAskedError } from '../chainErrors.ts'
import type { FollowedChain } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { readPolicies, readRolloutCommitments } from '../work/commitments.ts'
import { createEventReader, keepFinal } from './roundEvents.ts'

test('rounds that never were have no events, and the chain is not asked for them', async () => {
  const { inRounds } = createEventReader({} as FollowedChain, {} as Contracts)
  expect(await inRounds({ first: -2, last: -2 }, async () => [1])).toEqual([])
})

const head = { number: 5_000, timeSec: 1_000, hash: '0x', atMs: 0 }
const chain = {
  rpcUrl: 'http://scene',
  heads: { recent: async () => head, around: () => ({}) },
  // Rounds after the first one have not begun.
  rpc: { readContract: async () => 2_000n },
} as unknown as FollowedChain
const contracts = { startBlock: 1, rounds: {} } as Contracts

test('a range of more events than an answer may have is read in parts, in order, and a block of too many is reported', async () => {
  const perBlock = (block: number) => (block === 3_333 ? 90_000 : 100)
  const read = (most: number) => async (range: { fromBlock: bigint; toBlock: bigint }) => {
    const blocks = Array.from(
      { length: Number(range.toBlock - range.fromBlock) + 1 },
      (_, at) => Number(range.fromBlock) + at,
    )
    const events = blocks.flatMap(block => Array<number>(perBlock(block)).fill(block))
    if (events.length > most) throw new TooMuchAskedError('too many', { hint: 'ask for less', retryable: true })
    return events
  }
  const { inRounds } = createEventReader(chain, contracts)
  const found = await inRounds({ first: 0, last: 0 }, read(100_000))
  expect(found).toHaveLength(4_999 * 100 + 90_000)
  expect(found.every((block, at) => at === 0 || block >= (found[at - 1] as number))).toBe(true)
  await expect(inRounds({ first: 0, last: 0 }, read(80_000))).rejects.toThrow(TooMuchAskedError)
})

test('a peer that amends its commitment and its policy without end costs no memory, and counts by the last', async () => {
  const key = (n: number) => `0x${n.toString(16).padStart(64, '0')}` as const
  let told = 0
  const logsOf = ({ fromBlock }: { fromBlock: bigint }) => {
    told += 50_000
    return Array.from({ length: 50_000 }, (_, at) => ({
      args: {
        round: 0n,
        peerKey: key(at === 0 ? 1 : 2),
        ordinal: 0,
        leafCount: 8,
        contentId: key(at),
        policyHash: key(at),
      },
      blockNumber: fromBlock,
    }))
  }
  const rpc = { ...chain.rpc, getContractEvents: async (range: { fromBlock: bigint }) => logsOf(range) }
  const client = { ...chain, rpc } as unknown as FollowedChain
  const events = createEventReader(client, contracts)
  const committed = await readRolloutCommitments(client, contracts, events, 0)
  expect(committed.map(({ peerKey, contentId, block }) => [peerKey, contentId, block])).toEqual([
    [key(1), key(0), 4_001],
    [key(2), key(49_999), 4_001],
  ])
  const policies = await readPolicies(client, contracts, events, 0, [key(1), key(2)])
  expect([told, policies.get(key(2)), policies.size]).toEqual([300_000, key(49_999), 2])
})

test('mutable facts are read each time and immutable ones once, for the last rounds requested', async () => {
  const reads: number[] = []
  let over = 3
  let isOut = true
  const read = keepFinal(
    async round => {
      reads.push(round)
      if (isOut) throw new Error('the endpoint is out')
      return `round ${round}`
    },
    round => round <= over,
  )
  await expect(read(3)).rejects.toThrow('out')
  isOut = false
  expect(await Promise.all([read(3), read(3), read(4), read(4)])).toEqual(['round 3', 'round 3', 'round 4', 'round 4'])
  expect(reads).toEqual([3, 3, 4, 4])
  over = 20
  for (let round = 4; round <= 10; round++) await read(round)
  reads.length = 0
  for (const round of [10, 5, 3]) await read(round)
  expect(reads).toEqual([3])
})

test('a final round in which an endpoint finds nothing is read again', async () => {
  const answers = [[], ['commitment'], ['unread']]
  const read = keepFinal(
    async () => answers.shift() ?? [],
    () => true,
  )
  expect([await read(1), await read(1), await read(1)]).toEqual([[], ['commitment'], ['commitment']])
})
