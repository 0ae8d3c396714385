import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Address, type Hex, keccak256, numberToHex, padHex } from 'viem'

/** An event of a contract, encoded. */
export interface LoggedEvent {
  address: Address
  topics: Hex[]
  data: Hex
}

const BLOCK_SEC = 10
const STARTED_AT_SEC = 1_700_000_000
/** Blocks after the last event: an index takes those before them for final. */
const FINALITY_BLOCKS = 31
/** A filter that matches everything, so that each reader of a block asks for its logs. */
const BLOOM: Hex = `0x${'ff'.repeat(256)}`
const ZERO: Hex = `0x${'00'.repeat(32)}`

export const atSecOf = (block: number) => STARTED_AT_SEC + block * BLOCK_SEC

interface LogFilter {
  fromBlock?: Hex
  toBlock?: Hex
  blockHash?: Hex
  topics?: (Hex | Hex[] | null)[]
}

/** A chain that only answers what an indexer asks: blocks of one transaction each, which made all of the block's events. */
export async function serveLoggedChain(chainId: number, blocks: readonly (readonly LoggedEvent[])[]) {
  const tip = blocks.length - 1 + FINALITY_BLOCKS
  const numbers = new Map(Array.from({ length: tip + 1 }, (_, number) => [hashOf(number), number]))
  const answers = answersByEvent(blocks)
  const block = (number: number) => (number > tip ? null : blockOf(number, blocks[number]?.length ?? 0))

  /** By first topic alone: no two contracts have an event in common here. */
  function logs({ fromBlock = '0x0', toBlock = numberToHex(tip), blockHash, topics }: LogFilter) {
    const from = blockHash === undefined ? Number(fromBlock) : (numbers.get(blockHash) ?? 0)
    const to = blockHash === undefined ? Number(toBlock) : from
    const wanted = topics?.[0] == null ? [...answers.keys()] : [topics[0]].flat()
    const found: object[] = []
    for (const event of wanted) {
      const byBlock = answers.get(event)
      for (let number = from; byBlock !== undefined && number <= Math.min(to, blocks.length - 1); number++)
        found.push(...(byBlock.get(number) ?? []))
    }
    return found
  }

  const methods: Record<string, (params: never[]) => unknown> = {
    eth_chainId: () => numberToHex(chainId),
    eth_blockNumber: () => numberToHex(tip),
    eth_getBlockByNumber: ([at]: string[]) => block(at?.startsWith('0x') ? Number(at) : at === 'earliest' ? 0 : tip),
    eth_getBlockByHash: ([hash]: Hex[]) => block(numbers.get(hash ?? ZERO) ?? tip + 1),
    eth_getLogs: ([filter]: LogFilter[]) => logs(filter ?? {}),
  }
  return { ...(await serveMethods(methods)), tip }
}

const hashOf = (number: number) => keccak256(numberToHex(number))

const placeOf = (number: number) => ({
  ...{ blockHash: hashOf(number), blockNumber: numberToHex(number), transactionIndex: '0x0' },
  transactionHash: keccak256(hashOf(number)),
})

/** Answers by event and block, made once: an indexer asks for each event and range apart. */
function answersByEvent(blocks: readonly (readonly LoggedEvent[])[]) {
  const answers = new Map<Hex, Map<number, object[]>>()
  for (const [number, logs] of blocks.entries()) {
    const place = placeOf(number)
    for (const [index, log] of logs.entries()) {
      const event = log.topics[0] ?? ZERO
      const byBlock = answers.get(event) ?? new Map<number, object[]>()
      const ofBlock = byBlock.get(number) ?? []
      ofBlock.push({ ...log, ...place, logIndex: numberToHex(index), removed: false })
      answers.set(event, byBlock.set(number, ofBlock))
    }
  }
  return answers
}

function blockOf(number: number, events: number) {
  const sender = padHex('0x01', { size: 20 })
  const { transactionHash, ...place } = placeOf(number)
  const transaction = {
    ...{ ...place, hash: transactionHash, from: sender, to: sender, input: '0x', value: '0x0', nonce: '0x0' },
    ...{ gas: '0x0', gasPrice: '0x0', type: '0x0', v: '0x1b', r: ZERO, s: ZERO },
  }
  return {
    ...{ number: numberToHex(number), hash: hashOf(number), timestamp: numberToHex(atSecOf(number)) },
    parentHash: number === 0 ? ZERO : hashOf(number - 1),
    ...{ logsBloom: events > 0 ? BLOOM : `0x${'00'.repeat(256)}`, transactions: [transaction] },
    ...{ miner: sender, extraData: '0x', gasLimit: '0x0', gasUsed: '0x0', size: '0x0', difficulty: '0x0' },
    ...{ baseFeePerGas: '0x0', mixHash: ZERO, nonce: '0x0000000000000000', totalDifficulty: '0x0' },
    ...{ receiptsRoot: ZERO, sha3Uncles: ZERO, stateRoot: ZERO, transactionsRoot: ZERO, uncles: [] },
  }
}

/** A JSON-RPC server on a free port. */
async function serveMethods(methods: Readonly<Record<string, (params: never[]) => unknown>>) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
    const result = methods[method]?.(params as never[])
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? unknownMethod : { result }) }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const unknownMethod = { error: { code: -32_601, message: 'no such method' } }
