import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

type Reply = { id: unknown; result?: unknown; error?: unknown }
type Ask = { method: string }

const YEAR_SEC = 365 * 24 * 3_600
const EXECUTING: ReadonlySet<string> = new Set(['eth_call', 'eth_estimateGas'])
/** As numbers are encoded, and not hashes or addresses. */
const QUANTITY = /^0x[0-9a-f]{1,32}$/i
const BEYOND_256_BITS = `0x1${'0'.repeat(64)}`

/** Faults of an endpoint, each as a change of one true reply. */
const lies = {
  /** An answer without `result`. */
  empty: ({ id }: Reply) => ({ jsonrpc: '2.0', id }),
  /** The reply of a lagging node about a contract that it has not seen. */
  zero: (reply: Reply) => ({ ...reply, result: '0x' }),
  /** The chain of somebody else. */
  otherChain: (reply: Reply, { method }: Ask) => (method === 'eth_chainId' ? { ...reply, result: '0x1' } : reply),
  /** A header of next year. */
  future: (reply: Reply, { method }: Ask) => (method === 'eth_getBlockByNumber' ? later(reply) : reply),
  /** Every read and every estimate is refused. */
  reverted: (reply: Reply, { method }: Ask) =>
    EXECUTING.has(method)
      ? { jsonrpc: '2.0', id: reply.id, error: { code: 3, message: 'execution reverted', data: '0x' } }
      : reply,
  /** Numbers beyond 256 bits, and words of views that are the largest of 256 bits. */
  huge: (reply: Reply, { method }: Ask) =>
    method === 'eth_call' ? { ...reply, result: largestWords(reply.result) } : { ...reply, result: huge(reply.result) },
} satisfies Record<string, (reply: Reply, ask: Ask) => object>

/** Besides false answers: closing the connection, not answering, and an error. */
const outages = ['refuse', 'hang', 'fail'] as const

export type EndpointFault = keyof typeof lies | (typeof outages)[number]
export const endpointFaults: readonly EndpointFault[] = [...(Object.keys(lies) as (keyof typeof lies)[]), ...outages]

export type FaultyProxy = {
  /** The endpoint of one peer. */
  urlOf(slot: string): string
  /** Makes one peer's endpoint fail in a given way from now on; null restores it. */
  set(slot: string, fault: EndpointFault | null): void
  close(): Promise<void>
}

/** An endpoint for each peer, in front of a chain's, which can be made to fail. */
export async function startFaultyProxy(rpcUrl: string): Promise<FaultyProxy> {
  const faults = new Map<string, EndpointFault>()
  const server = createServer((request, response) => {
    const fault = faults.get(request.url?.slice(1) ?? '') ?? null
    // A client that hung up needs no answer.
    answer(rpcUrl, fault, request, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    urlOf: slot => `http://127.0.0.1:${port}/${slot}`,
    set(slot, fault) {
      if (fault === null) faults.delete(slot)
      else faults.set(slot, fault)
    },
    close() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

async function answer(
  rpcUrl: string,
  fault: EndpointFault | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (fault === 'refuse') return void request.socket.destroy()
  if (fault === 'hang') return
  if (fault === 'fail') return void response.writeHead(500).end('no')
  const body = await text(request)
  const headers = { 'content-type': 'application/json' }
  const { status, text: given } = await fetch(rpcUrl, { method: 'POST', body, headers }).then(async reply => ({
    status: reply.status,
    text: await reply.text(),
  }))
  response.writeHead(status, headers).end(fault === null ? given : lieAbout(body, given, lies[fault]))
}

function lieAbout(body: string, given: string, lie: (reply: Reply, ask: Ask) => object): string {
  const asked = JSON.parse(body) as Ask | Ask[]
  return changeReplies(given, (reply, at) => lie(reply, Array.isArray(asked) ? (asked[at] as Ask) : asked))
}

/** Changes each reply of an answer, which has one or a batch. */
export function changeReplies(given: string, change: (reply: Reply, at: number) => object): string {
  const replied = JSON.parse(given) as Reply | Reply[]
  return JSON.stringify(Array.isArray(replied) ? replied.map(change) : change(replied, 0))
}

function later(reply: Reply): Reply {
  const block = reply.result as { timestamp: string } | null
  if (block === null || block === undefined) return reply
  return { ...reply, result: { ...block, timestamp: `0x${(Number(block.timestamp) + YEAR_SEC).toString(16)}` } }
}

/** A result with each number in it, at any depth, beyond what fits a word. */
function huge(result: unknown): unknown {
  if (typeof result === 'string') return QUANTITY.test(result) ? BEYOND_256_BITS : result
  if (typeof result !== 'object' || result === null) return result
  if (Array.isArray(result)) return result.map(huge)
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, huge(value)]))
}

const largestWords = (result: unknown) =>
  typeof result === 'string' ? `0x${'f'.repeat(result.length - '0x'.length)}` : result
