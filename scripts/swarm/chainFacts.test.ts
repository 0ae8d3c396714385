import { rewardVotesAbi, rolloutCommitmentsAbi } from '@waggle/deployments/abi'
import { eachContract } from '@waggle/deployments/contractNames'
import { createPublicClient, custom, encodeAbiParameters, encodeEventTopics, type Hex, numberToHex, pad } from 'viem'
import { expect, test } from 'vitest'
import { followChainFacts } from './chainFacts.ts'

const addresses = new Map<string, Hex>()
const deployment = {
  network: 'test',
  chainId: 31_337,
  contracts: eachContract(name => {
    const address = pad(numberToHex(addresses.size + 1), { size: 20 })
    addresses.set(name, address)
    return { address, startBlock: 1 }
  }),
}
const peerKey: Hex = `0x${'aa'.repeat(32)}`

/** A chain with one commitment in each hundredth block and its settlement 50 blocks later, that counts what is asked of it. */
function setup() {
  let newest = 0
  let fork = 0
  /** Calls that still succeed. */
  let left = Number.POSITIVE_INFINITY
  const asked = { calls: 0, blocks: 0, logs: 0 }
  const blockOf = (number: number) => ({
    number: numberToHex(number),
    hash: numberToHex(number + fork * 1_000_000, { size: 32 }),
    timestamp: numberToHex(number),
    transactions: [],
  })
  const logAt = (number: number, address: Hex) => {
    const round = BigInt(Math.floor(number / 100))
    const common = { address, blockNumber: numberToHex(number), logIndex: '0x0', transactionIndex: '0x0' }
    if (address === addresses.get('RolloutCommitments') && number % 100 === 0) {
      const args = { round, peerKey }
      const data = encodeAbiParameters(
        [{ type: 'uint32' }, { type: 'bytes32' }, { type: 'uint32' }, { type: 'bytes32' }, { type: 'bytes32' }],
        [0, peerKey, 8, peerKey, peerKey],
      )
      return {
        ...common,
        data,
        topics: encodeEventTopics({ abi: rolloutCommitmentsAbi, eventName: 'RolloutsCommitted', args }),
      }
    }
    if (address === addresses.get('RewardVotes') && number % 100 === 50) {
      const args = { round, peerKey }
      const data = encodeAbiParameters([{ type: 'uint16' }, { type: 'uint8' }, { type: 'uint8' }], [500, 3, 1])
      return { ...common, data, topics: encodeEventTopics({ abi: rewardVotesAbi, eventName: 'Settled', args }) }
    }
    return null
  }
  const request = async ({ method, params }: { method: string; params: unknown[] }) => {
    asked.calls += 1
    if (left-- <= 0) throw new Error('connection refused')
    if (method === 'eth_call') return numberToHex(7, { size: 32 })
    if (method === 'eth_getBlockByNumber') return blockOf(params[0] === 'latest' ? newest : Number(params[0]))
    const { fromBlock, toBlock, address } = params[0] as { fromBlock: Hex; toBlock: Hex; address: Hex }
    const span = Number(toBlock) - Number(fromBlock) + 1
    asked.blocks += span
    const found = Array.from({ length: span }, (_, at) => logAt(Number(fromBlock) + at, address)).filter(Boolean)
    asked.logs += found.length
    return found
  }
  const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 })
  const goTo = (number: number) => {
    newest = number
    Object.assign(asked, { calls: 0, blocks: 0, logs: 0 })
  }
  const reorganise = () => {
    fork += 1
  }
  const failAfter = (calls: number) => {
    left = calls
  }
  return { read: followChainFacts(client, deployment), asked, goTo, reorganise, failAfter }
}

test('a refresh reads the blocks since the last one alone, however old the swarm is', async () => {
  const { read, asked, goTo } = setup()
  goTo(20_000)
  const { rounds } = await read()
  expect(rounds).toHaveLength(201)
  expect(rounds.at(-2)).toMatchObject({
    round: 199,
    commitments: 1,
    rollouts: 8,
    settled: 1,
    scored: 1,
    meanReward: 0.5,
  })
  goTo(20_050)
  const { pointsOf } = await read()
  expect(pointsOf.get(peerKey)).toBe(500 * 201)
  // Three contracts, 50 blocks of each.
  expect(asked).toEqual({ calls: 5, blocks: 150, logs: 1 })
})

test('after a reorganisation all is read again, and nothing counts twice', async () => {
  const { read, goTo, reorganise } = setup()
  goTo(1_000)
  const before = await read()
  reorganise()
  goTo(1_001)
  const after = await read()
  expect(after.rounds).toEqual(before.rounds)
  expect(after.pointsOf).toEqual(before.pointsOf)
})

test('a call that fails halfway makes nothing count twice', async () => {
  const { read, goTo, failAfter } = setup()
  goTo(12_000)
  // The newest block, and the events of the first of three ranges.
  failAfter(4)
  await expect(read()).rejects.toThrow('connection refused')
  failAfter(Number.POSITIVE_INFINITY)
  expect((await read()).pointsOf.get(peerKey)).toBe(500 * 120)
})
