import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { NodeError } from '#base/errors.ts'
import { gatherBytes } from '#core/gatherBytes.ts'
import type { PeerKey } from '#core/hashes.ts'
import type { Logger } from '#core/logger.ts'
import { limitConnections } from '../http/limitConnections.ts'
import { refusal, type SponsorAnswer } from './admitRegistration.ts'
import { MAX_REQUEST_BYTES, requestSchema, SPONSOR_PATH, type SponsorRequest } from './sponsorProtocol.ts'

class SponsorPortError extends NodeError {
  override readonly code = 'SPONSOR_PORT'
}

type SponsorPages = {
  terms(): Promise<object>
  /** Null for a peer that is not sponsored here. */
  standing(peerKey: PeerKey): Promise<object | null>
  ask(request: SponsorRequest): Promise<SponsorAnswer>
}

/** A request is whole within it, its answer is taken within it, and a connection without a byte for so long is closed. */
const REQUEST_MS = 10_000
/** An answer that asks the chain is ready within it: an endpoint that does not answer is waited out for some time. */
const ANSWER_MS = 130_000
/** A peer has one, and several peers share an address. */
const CONNECTIONS = { total: 256, ofAddress: 16 }
/** Reads of terms and standings ask the chain: a crowd waits. */
const MAX_READS = 32

/**
 * Serves a sponsor's terms, and takes registrations.
 *
 * @throws {SponsorPortError} if it cannot listen there.
 */
export async function serveSponsor(
  { port, host, requestMs = REQUEST_MS }: { port: number; host: string; requestMs?: number },
  pages: SponsorPages,
  logger: Logger,
): Promise<Server> {
  let reads = 0
  const timeouts = { headersTimeout: requestMs, requestTimeout: requestMs, connectionsCheckingInterval: requestMs / 5 }
  const server = createServer(timeouts, async (request, response) => {
    try {
      send(response, await answer(request))
    } catch (error) {
      // The request was cut off, which any client can cause.
      if (error === request.errored) return
      logger.error('a request failed', { error })
      send(response, refusal(500, 'this request failed; see the log of the sponsor'))
    }
  })
  limitConnections(server, CONNECTIONS)
  server.setTimeout(requestMs)

  /** Awaits an answer to a whole request, whose connection is silent meanwhile. */
  async function unhurried<T>({ socket }: IncomingMessage, work: Promise<T>): Promise<T> {
    socket.setTimeout(ANSWER_MS)
    try {
      return await work
    } finally {
      socket.setTimeout(requestMs)
    }
  }

  async function answer(request: IncomingMessage): Promise<SponsorAnswer> {
    const path = URL.parse(request.url ?? '/', 'http://localhost')?.pathname ?? ''
    if (request.method === 'POST' && path === SPONSOR_PATH) return take(request)
    const [, peerKey] = /^\/v1\/sponsor\/(0x[0-9a-f]{64})$/.exec(path) ?? []
    if (request.method !== 'GET' || (path !== SPONSOR_PATH && peerKey === undefined))
      return refusal(404, `there are GET and POST ${SPONSOR_PATH}, and GET ${SPONSOR_PATH}/PEER_KEY`)
    if (reads >= MAX_READS) return refusal(503, 'busy; try again')
    reads++
    try {
      const asked = peerKey === undefined ? pages.terms() : pages.standing(peerKey as PeerKey)
      const body = await unhurried(request, asked)
      return body === null ? refusal(404, 'this peer is not sponsored here') : { code: 200, body }
    } finally {
      reads--
    }
  }

  async function take(request: IncomingMessage): Promise<SponsorAnswer> {
    // A page of another origin cannot send this type without asking first.
    if (request.headers['content-type'] !== 'application/json') return refusal(415, 'send application/json')
    const text = await readBody(request)
    if (text === null) return refusal(413, `a request has ${MAX_REQUEST_BYTES} bytes at most`)
    const parsed = requestSchema.safeParse(jsonOf(text))
    const problem = parsed.error?.issues[0]
    if (problem !== undefined) return refusal(400, `malformed: ${problem.path.join('.') || 'not an object'}`)
    return unhurried(request, pages.ask(parsed.data as SponsorRequest))
  }

  server.listen(port, host)
  await once(server, 'listening').catch(cause => {
    throw new SponsorPortError(`It cannot listen at ${host}, port ${port}: ${(cause as Error).message}.`, {
      hint: 'Stop what listens there, or choose others with --http and --bind.',
      cause,
    })
  })
  return server
}

/** Null if it is too large; a body that declares this is not read at all. Rejects if it is cut off. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  if (Number(request.headers['content-length']) > MAX_REQUEST_BYTES) return null
  const bytes = await gatherBytes(request, MAX_REQUEST_BYTES)
  return bytes?.toString('utf8') ?? null
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function send(response: ServerResponse, { code, body }: SponsorAnswer): void {
  if (response.destroyed) return
  const headers = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff', connection: 'close' }
  response.writeHead(code, headers).end(`${JSON.stringify(body)}\n`)
}
