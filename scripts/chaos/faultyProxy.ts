import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

type Reply = { id: unknown; result?: unknown; error?: unknown }
type Ask = { method: string }

const YEAR_SEC = 365 * 24 * 3_600

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
  const [asked, replied] = [JSON.parse(body), JSON.parse(given)] as [Ask | Ask[], Reply | Reply[]]
  if (!Array.isArray(replied)) return JSON.stringify(lie(replied, asked as Ask))
  return JSON.stringify(replied.map((reply, at) => lie(reply, (asked as Ask[])[at] as Ask)))
}

function later(reply: Reply): Reply {
  const block = reply.result as { timestamp: string } | null
  if (block === null || block === undefined) return reply
  return { ...reply, result: { ...block, timestamp: `0x${(Number(block.timestamp) + YEAR_SEC).toString(16)}` } }
}
