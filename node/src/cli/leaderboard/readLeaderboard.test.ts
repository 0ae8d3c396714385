import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { swarmCoordinatorAbi } from '@waggle/deployments/abi'
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  numberToHex,
  pad,
} from 'viem'
import { expect, test } from 'vitest'
import { createEndpoint } from '#chain/guard/endpoint.ts'
import { openRlSwarm } from '#chain/peers/readRlSwarm.ts'
import { type LeaderboardSource, listStandings, readRlSwarm } from './readLeaderboard.ts'

const abi = swarmCoordinatorAbi
const coordinator = `0x${'cc'.repeat(20)}` as const
const rpcUrl = 'http://127.0.0.1:8545'
/** Three questions for totals, and the peer of number i is registered at block i. */
const PEERS = 160
const SETTLED = 16
const GONE = { code: -32000, message: 'missing trie node 5f3c (path )' }

type Hex = `0x${string}`
/** Parameters of the methods that are asked here: a block, a filter, or a call and its block. */
type Parameter = Hex & { fromBlock: Hex; toBlock: Hex; data: Hex }
type Call = { id: number; method: string; params: [Parameter, Hex] }
type Refusal = { code: number; message: string }

/**
 * An endpoint over a scripted transport. Its chain grows by `growth` blocks with every request for totals, whose values are the block's
 * number: rows of two blocks cannot be mixed unseen.
 *
 * @param refusal - what is said of a block; null answers.
 */
function scripted(refusal: (block: number, newest: number) => Refusal | null, growth = 10) {
  let newest = 1_000
  let logQuestions = 0
  const answers: Record<string, (params: Call['params']) => unknown> = {
    eth_chainId: () => '0x1',
    eth_blockNumber: () => numberToHex(newest),
    eth_getBlockByNumber: ([number]) => ({ number, timestamp: '0x1', hash: pad(number), transactions: [] }),
    eth_getLogs: ([{ fromBlock, toBlock }]) => {
      logQuestions += 1
      const peers = Array.from({ length: PEERS }, (_, i) => i).filter(
        i => i >= Number(fromBlock) && i <= Number(toBlock),
      )
      return peers.map(logOf)
    },
    eth_call: ([{ data }, at]) => {
      const { functionName, args } = decodeFunctionData({ abi, data })
      const total = BigInt(Number(at))
      return functionName === 'getTotalRewards'
        ? encodeFunctionResult({ abi, functionName, result: args[0].map(() => total) })
        : encodeFunctionResult({ abi, functionName: 'getTotalWins', result: total })
    },
  }
  const answer = ({ id, method, params }: Call) => {
    const error = method === 'eth_call' ? refusal(Number(params[1]), newest) : null
    return { jsonrpc: '2.0', id, ...(error ? { error } : { result: answers[method]?.(params) }) }
  }
  const fetchFn = (async (_, init) => {
    const body = JSON.parse(String(init?.body)) as Call | Call[]
    const said = Array.isArray(body) ? body.map(answer) : answer(body)
    if (JSON.stringify(body).includes('eth_call')) newest += growth
    return new Response(JSON.stringify(said), { headers: { 'content-type': 'application/json' } })
  }) as typeof fetch
  const clock = { nowMs: () => 0, sleep: async () => undefined }
  const swarm = openRlSwarm(rpcUrl, coordinator, { endpoint: createEndpoint(rpcUrl, { fetchFn }), clock })
  return { swarm, logQuestions: () => logQuestions }
}

function logOf(i: number) {
  const [signature, ...indexed] = encodeEventTopics({ abi, eventName: 'PeerRegistered', args: { eoa: coordinator } })
  return {
    ...{ address: coordinator, topics: [signature, ...indexed] },
    data: encodeAbiParameters([{ type: 'string' }], [`Qm${i}`]),
    ...{ blockNumber: numberToHex(i), blockHash: pad(numberToHex(i)), logIndex: '0x0', transactionIndex: '0x0' },
    ...{ transactionHash: pad('0x1'), removed: false },
  }
}

const sourceOf = (): LeaderboardSource => ({
  ...{ rpcUrl, coordinator, fromBlock: 0, limit: 1_000 },
  partPath: join(mkdtempSync(join(tmpdir(), 'waggle-read-')), 'part.json'),
})

test('if the endpoint forgets a block meanwhile, all totals are from a newer one', async () => {
  // Of the first block it forgets after two of the three questions.
  const first = 1_000 - SETTLED
  const { swarm, logQuestions } = scripted((block, newest) => (block === first && newest - block > 80 ? GONE : null))
  const [source, lines] = [sourceOf(), [] as string[]]
  const found = await readRlSwarm(source, line => lines.push(line), swarm)
  expect(found.block).toBeGreaterThan(first)
  expect(found.blockHash).toBe(pad(numberToHex(found.block)))
  expect(found.rows).toHaveLength(PEERS)
  expect(new Set(found.rows.flatMap(({ rewards, wins }) => [rewards, wins]))).toEqual(new Set([BigInt(found.block)]))
  expect(lines).toContain(`the endpoint has no state of block ${first}: all totals are read at a newer block`)
  // Only the new blocks are searched for peers.
  expect(logQuestions()).toBe(2)
  expect(existsSync(source.partPath)).toBe(false)
})

test('an endpoint that forgets sooner than it is read says so by a code after four blocks, and the search is kept', async () => {
  const blocks = new Set<number>()
  const { swarm } = scripted((block, newest) => {
    blocks.add(block)
    return newest - block > 40 ? GONE : null
  })
  const source = sourceOf()
  await expect(readRlSwarm(source, () => undefined, swarm)).rejects.toMatchObject({
    code: 'STATE_UNAVAILABLE',
    retryable: true,
    message: expect.stringMatching(/at block \d+ could not be read: .*missing trie node/),
    hint: expect.stringContaining('archive endpoint'),
  })
  expect(blocks.size).toBe(4)
  const part = JSON.parse(readFileSync(source.partPath, 'utf8'))
  expect(part.peerIds).toHaveLength(PEERS)

  const resumed = scripted(() => null)
  const found = await readRlSwarm(source, () => undefined, resumed.swarm)
  expect(new Set(found.rows.map(({ rewards }) => rewards))).toEqual(new Set([BigInt(found.block)]))
})

test('an error unrelated to old state ends the reading at once', async () => {
  const blocks = new Set<number>()
  const { swarm } = scripted(block => {
    blocks.add(block)
    return { code: -32005, message: 'too many requests' }
  })
  await expect(readRlSwarm(sourceOf(), () => undefined, swarm)).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE' })
  expect(blocks.size).toBe(1)
})

test('peers are ordered by all their points, then by the block of their registration, then by key', async () => {
  const points: Record<string, bigint> = { '0x1': 500n, '0x2': 1_500n, '0x3': 500n, '0x4': 500n }
  const asked: unknown[] = []
  const registered = [
    registration('0x4', 1n),
    registration('0x3', 2n),
    registration('0x1', 2n),
    registration('0x2', 3n),
  ]
  const rpc = {
    getContractEvents: async () => registered,
    multicall: async ({ contracts, blockNumber }: { contracts: { args: [string] }[]; blockNumber: bigint }) => {
      asked.push(blockNumber)
      return contracts.map(({ args: [key] }) => points[key])
    },
  }
  const client = { rpc, rpcUrl: 'http://127.0.0.1', heads: { read: async () => ({ number: 9 }) } }
  const contracts = { startBlock: 1, peerRegistry: {}, rewardVotes: {} }
  const { block, standings } = await listStandings({ client, contracts } as never, 10)
  expect(block).toBe(9)
  expect(standings.map(({ rank, peerId, pointsMilli }) => [rank, peerId, pointsMilli])).toEqual([
    [1, 'peer 0x2', 1_500],
    [2, 'peer 0x4', 500],
    [3, 'peer 0x1', 500],
    [4, 'peer 0x3', 500],
  ])
  expect(asked).toEqual([9n])
  const best = await listStandings({ client, contracts } as never, 1)
  expect(best.standings).toMatchObject([{ rank: 1, peerId: 'peer 0x2' }])
})

const registration = (peerKey: string, blockNumber: bigint) => ({
  args: { peerKey, peerId: `peer ${peerKey}`, fromRound: 0n },
  blockNumber,
})
