import { encodeFunctionData, type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectChain, type FollowedChain } from '#chain/connectChain.ts'
import { type Contracts, contractsOf } from '#chain/contracts.ts'
import { createChainReads } from '#chain/reads.ts'
import type { PeerKey } from '#core/hashes.ts'
import { deployContracts, type LocalChain, startLocalChain } from './localChain.ts'

const ROUND_SECONDS = 600
/** First round of staked seats. */
const BOOTSTRAP_ROUNDS = 13
const LAST = 24

const key = (number: number): PeerKey => numberToHex(number, { size: 32 })

type Change = ['admitEvaluator' | 'removeEvaluator' | 'takeSeat' | 'leaveSeat', peer: number]

/** Changes of seats by the round in which they are made, each round's in one block. */
const CHANGES = new Map<number, Change[]>([
  [0, [1, 2, 3, 4, 5].map(peer => ['admitEvaluator', peer])],
  // The last seat moves into the gap, and then leaves it.
  [1, [['removeEvaluator', 2], ['removeEvaluator', 5]]], // biome-ignore format: a row
  // Removed and admitted again for the same round, then the last one of all removed.
  [2, [['removeEvaluator', 1], ['admitEvaluator', 1], ['removeEvaluator', 1]]], // biome-ignore format: a row
  [3, [['takeSeat', 6], ['takeSeat', 7], ['admitEvaluator', 6], ['admitEvaluator', 2]]], // biome-ignore format: a row
  // Seats after bootstrap that are lost before they count.
  [4, [['leaveSeat', 6], ['takeSeat', 8], ['takeSeat', 3]]], // biome-ignore format: a row
  [11, [['admitEvaluator', 9], ['removeEvaluator', 3], ['takeSeat', 6]]], // biome-ignore format: a row
  [
    12,
    [
      ['leaveSeat', 7],
      ['takeSeat', 9],
    ],
  ],
  [14, [['leaveSeat', 8], ['leaveSeat', 9], ['takeSeat', 8]]], // biome-ignore format: a row
  [
    15,
    [
      ['removeEvaluator', 4],
      ['takeSeat', 1],
    ],
  ],
  [
    23,
    [
      ['leaveSeat', 3],
      ['takeSeat', 2],
    ],
  ],
])

let local: LocalChain
let contracts: Contracts
let chain: FollowedChain

beforeAll(async () => {
  local = await startLocalChain()
  const deployment = await deployContracts(local, ROUND_SECONDS, undefined, BOOTSTRAP_ROUNDS, ROUND_SECONDS)
  contracts = contractsOf(deployment)
  chain = await connectChain({ rpcUrl: local.rpcUrl, deployment })
  await local.client.impersonateAccount({ address: contracts.stakes.address })
  await local.fund(contracts.stakes.address)
})

afterAll(() => local?.stop())

/** Makes changes in one block; `Stakes` makes those of staked seats. */
async function change(changes: readonly Change[]): Promise<void> {
  const { client, admin } = local
  const { address: to, abi } = contracts.rewardVotes
  await client.setAutomine(false)
  const sent: Hex[] = []
  for (const [functionName, peer] of changes) {
    const account = functionName.endsWith('Seat') ? contracts.stakes.address : admin
    const data = encodeFunctionData({ abi, functionName, args: [key(peer)] })
    sent.push(await client.sendTransaction({ to, data, account, chain: null, gas: 500_000n }))
  }
  await client.mine({ blocks: 1 })
  await client.setAutomine(true)
  for (const hash of sent) expect((await client.getTransactionReceipt({ hash })).status).toBe('success')
}

test('seats of every round are replayed from events, as the contract had them before it forgot the round', async () => {
  const reads = createChainReads(chain, contracts)
  /** The contract's last answer about each round. */
  const known = new Map<number, readonly PeerKey[]>()
  for (let round = 0; round <= LAST; round++) {
    const args = [BigInt(round)] as const
    const startsAtSec = await local.client.readContract({ ...contracts.rounds, functionName: 'startOf', args })
    await local.travelTo(Number(startsAtSec))
    await change(CHANGES.get(round) ?? [])
    for (const seated of [round - 1, round, round + 1])
      if (seated >= 0) known.set(seated, await reads.readSeats(seated))
  }
  await expect(reads.readSeats(1)).rejects.toThrow('RoundHistory_Forgotten')
  await expect(reads.readSeats(BOOTSTRAP_ROUNDS)).rejects.toThrow('RoundHistory_Forgotten')
  const counts = new Set<number>()
  for (const [round, seats] of known) {
    expect(await reads.readPastSeats(round), `round ${round}`).toEqual(seats)
    counts.add(seats.length)
  }
  expect([...counts].sort()).toEqual([0, 2, 3, 4, 5])
})
