import { PassThrough } from 'node:stream'
import * as dagCbor from '@ipld/dag-cbor'
import { eachContract } from '@waggle/deployments/contractNames'
import { encodeAbiParameters, encodeEventTopics, encodeFunctionResult, RpcRequestError } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { readSeats } from '#chain/votes/seats.ts'
import { readRolloutCommitments } from '#chain/work/commitments.ts'
import { createManualClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { callChain } from '../../src/chain/callChain.ts'
import { ChainUnreachableError } from '../../src/chain/chainErrors.ts'
import { clientOf } from '../../src/chain/clientOf.ts'
import type { ChainClient } from '../../src/chain/connectChain.ts'
import { contractsOf } from '../../src/chain/contracts.ts'
import { createEndpoint } from '../../src/chain/guard/endpoint.ts'
import { createOutboxRpc } from '../../src/chain/outbox/outboxRpc.ts'
import type { EventReader } from '../../src/chain/rounds/roundEvents.ts'
import { createDialSchedule } from '../../src/p2p/membership/dialSchedule.ts'
import { createPeerBook } from '../../src/p2p/membership/peerBook.ts'
import { openCaseChannel } from '../../src/sandbox/caseChannel.ts'
import type { Decoder } from './decoder.ts'

const CHAIN_ID = 31_337
/** Stands for the id of the case that is asked. */
const CASE_ID = '00000000-0000-4000-8000-000000000000'
const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const address: Hex = `0x${'11'.repeat(20)}`
const contracts = contractsOf({
  network: 'test',
  chainId: CHAIN_ID,
  contracts: eachContract(() => ({ address, startBlock: 0 }) as const),
})

/** An endpoint's answer to each method; a call of another method gets all of it. */
type Answers = Record<string, unknown>

const block = {
  ...{ number: '0x7', hash: word('01'), timestamp: '0x64', baseFeePerGas: '0x7', transactions: [] },
  ...{ gasLimit: '0x1', gasUsed: '0x1', size: '0x1', nonce: '0x0000000000000000', difficulty: '0x0' },
}
const { abi } = contracts.rolloutCommitments
const committed = {
  address,
  topics: encodeEventTopics({ abi, eventName: 'RolloutsCommitted', args: { round: 4n, peerKey: word('02') } }),
  data: encodeAbiParameters(
    abi
      .find(item => item.type === 'event' && item.name === 'RolloutsCommitted')
      ?.inputs.filter(input => !('indexed' in input && input.indexed)) ?? [],
    [0, word('03'), 8, word('04'), word('05')] as never,
  ),
  ...{
    blockNumber: '0x7',
    blockHash: word('01'),
    logIndex: '0x0',
    transactionHash: word('06'),
    transactionIndex: '0x0',
  },
  removed: false,
}
const receipt = { blockNumber: '0x7', status: '0x1', gasUsed: '0x5208', transactionHash: word('06') }
const call = { to: address, data: '0x00' } as const

const account = privateKeyToAccount(word('01'))
const outboxOf = (chain: ChainClient) => createOutboxRpc(chain, account, CHAIN_ID)
const events: EventReader = { inRounds: (_, read) => callChain('', () => read({ fromBlock: 0n, toBlock: 9n })) }

/** Boundaries besides the decoders of peers' bytes: what endpoints answer, what a sandbox says, and what the disk gives back. */
export const boundaries: Record<string, Decoder> = {
  logs: endpoint({ eth_getLogs: { result: [committed, { ...committed, logIndex: '0x1' }] } }, async chain => {
    for (const found of await readRolloutCommitments(chain, contracts, events, 4))
      wholeNumbers(found.block, found.ordinal, found.count)
  }),
  view: endpoint(
    {
      eth_call: {
        result: encodeFunctionResult({
          ...{ abi: contracts.rewardVotes.abi, functionName: 'seatsAt', result: [word('07'), word('08')] },
        }),
      },
    },
    chain => readSeats(chain, contracts, 4),
  ),
  receipt: endpoint({ eth_getTransactionReceipt: { result: receipt } }, async chain => {
    const found = await outboxOf(chain).receipt(word('06'))
    if (found !== null) wholeNumbers(found.block)
  }),
  fees: endpoint(
    { eth_getBlockByNumber: { result: block }, eth_maxPriorityFeePerGas: { result: '0x1' } },
    async chain => void (await outboxOf(chain).fees()),
  ),
  nonces: endpoint({ eth_getTransactionCount: { result: '0x7' } }, async chain => {
    const { latest, pending } = await outboxOf(chain).nonces()
    wholeNumbers(latest, pending)
  }),
  simulation: endpoint(
    { eth_estimateGas: { error: { code: 3, message: 'execution reverted', data: word('08') } } },
    async chain => void (await outboxOf(chain).simulate(call)),
  ),
  sending: endpoint(
    { eth_sendRawTransaction: { error: { code: -32000, message: 'nonce too low' } } },
    async chain => void (await outboxOf(chain).send('0x00')),
  ),
  caseAnswer: {
    module: 'sandbox/caseChannel.ts',
    seeds: [
      Buffer.from(`${JSON.stringify({ id: CASE_ID, outcome: 'values', values: ['4', null] })}\n`),
      Buffer.from(`${JSON.stringify({ id: CASE_ID, outcome: 'error' })}\n`),
    ],
    run: askCase,
  },
  bookRows: {
    module: 'p2p/membership/peerBook.ts',
    seeds: [
      dagCbor.encode([
        { peerId: 'a', addresses: ['/ip4/203.0.113.7/tcp/1'], isRegistered: true, heardAtMs: 1e12 },
        { peerId: 'b', addresses: ['/ip4/203.0.113.8/tcp/1', '/dns4/x/tcp/2'], isRegistered: false, heardAtMs: 1e12 },
      ]),
    ],
    run: readBook,
  },
}

function wholeNumbers(...values: number[]): void {
  for (const value of values)
    if (!Number.isSafeInteger(value) || value < 0) throw new TypeError(`${value} where a whole number is expected`)
}

/** With any answer of an endpoint, a read resolves with a value of its type, or with a ruling or an outage. */
function endpoint(answers: Answers, read: (chain: ChainClient) => Promise<unknown>): Decoder {
  return {
    module: 'chain',
    seeds: [dagCbor.encode(answers)],
    async run(bytes) {
      const answered = readValue(bytes)
      const fetchFn: typeof fetch = async (_, init) => {
        const body = JSON.parse(String(init?.body)) as { id: number; method: string } | { id: number; method: string }[]
        const answerTo = ({ id, method }: { id: number; method: string }) => {
          const all = answered.value as Answers | null | undefined
          const own = typeof all === 'object' && all !== null && Object.hasOwn(all, method) ? all[method] : all
          return typeof own === 'object' && own !== null ? { id, ...own } : own
        }
        const text = Array.isArray(body) ? body.map(answerTo) : answerTo(body)
        return new Response(answered.isText ? Buffer.from(bytes).toString('latin1') : json(text))
      }
      const { ask } = createEndpoint('http://127.0.0.1:1', { fetchFn })
      try {
        await read({ rpc: clientOf(ask), rpcUrl: 'http://127.0.0.1:1' })
        return true
      } catch (error) {
        if (error instanceof ChainUnreachableError) return false
        if (error instanceof Error && 'walk' in error) {
          const walk = error.walk as (is: (one: unknown) => boolean) => unknown
          if (walk.call(error, one => one instanceof RpcRequestError) !== null) return false
        }
        throw error
      }
    },
  }
}

function json(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? Number(one) : one)) ?? ''
}

function readValue(bytes: Uint8Array): { isText: boolean; value: unknown } {
  try {
    return { isText: false, value: dagCbor.decode(bytes) }
  } catch {
    return { isText: true, value: null }
  }
}

/** A case ends with what the child answered to it, or its child is dead. */
async function askCase(bytes: Uint8Array): Promise<boolean> {
  const [requests, answers] = [new PassThrough(), new PassThrough()]
  let isKilled = false
  const kill = () => {
    isKilled = true
  }
  requests.once('data', line => {
    const { id } = JSON.parse(String(line)) as { id: string }
    const said = Buffer.from(Buffer.from(bytes).toString('latin1').replace(CASE_ID, id), 'latin1')
    const cut = said.length >> 1
    answers.write(said.subarray(0, cut))
    answers.end(said.subarray(cut))
  })
  const { ask } = openCaseChannel({ requests, answers, kill })
  const result = await ask({ code: '', expressions: ['f(2)', 'f(3)'], timeoutMs: 10 }, 10_000)
  if (result.outcome === 'broken' && !isKilled) throw new Error('a child that broke its case lives')
  if (result.outcome === 'values' && result.values.length !== 2) throw new Error('another number of values')
  return result.outcome !== 'broken'
}

/** A book over whatever a disk gives back takes peers in, dials, forgets and writes. */
function readBook(bytes: Uint8Array): boolean {
  const { value } = readValue(bytes)
  const clock = createManualClock(1e12)
  const rows = Array.isArray(value) ? value : [value]
  const store = { load: () => rows, write: () => undefined }
  const isRegistered = (peerId: string) => peerId === 'a'
  const book = createPeerBook({ bootnodes: [], sourceOf: peerId => peerId, isRegistered, store, clock })
  const known = book.all().length
  for (const { routes, heardAtMs } of book.all()) {
    if (heardAtMs > clock.nowMs()) throw new Error('heard of in the future')
    if (routes.length === 0) throw new Error('a peer without an address')
  }
  const connected = () => ({ has: () => false, addresses: [], registered: 0, total: 0 })
  const schedule = createDialSchedule({
    ...{
      ownId: 'own',
      book,
      isRegistered,
      isBanned: () => false,
      connected,
      ownHosts: () => new Set<string>(),
      targetPeers: 8,
      clock,
      random: () => 0.5,
    },
  })
  for (let dial = schedule.next(); dial !== null; dial = schedule.next()) schedule.ended(dial, undefined)
  clock.advance(15 * 24 * 3_600_000)
  book.flush()
  if (book.all().length > 0) throw new Error('a silent peer is never forgotten')
  return known === rows.length
}
