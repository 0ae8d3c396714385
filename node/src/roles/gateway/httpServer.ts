import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { NodeError } from '#base/errors.ts'
import { beforeAbort, withDeadline } from '#core/deadline.ts'
import type { Logger } from '#core/logger.ts'
import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import { limitConnections } from '../http/limitConnections.ts'
import { type Answer, createAnswers, type Route } from './answers.ts'

class HttpPortError extends NodeError {
  override readonly code = 'HTTP_PORT'
}

export type HttpLimits = {
  /** Most open connections; above that, the oldest without a request is closed. */
  connections: number
  /** Most open connections of one address other than loopback. */
  ofAddress: number
  /** Time limit for a request's headers; a request has no body. */
  requestMs: number
  /** Interval of the checks of that limit. */
  checkEveryMs: number
  /** An answer that is not there by then is a 503: it waits for a chain that does not answer. Less than `idleMs`. */
  answerMs: number
  /** A connection without a byte in either direction for this long is closed. */
  idleMs: number
  /** Most answers that wait for their readers: each holds its body in memory, tens of megabytes for a large round. */
  unread: number
}

/** A page opens six connections; a reader on a slow line receives a piece of an answer in a few seconds. */
export const defaultHttpLimits: HttpLimits = {
  connections: 256,
  // A dashboard in another container sends the requests of all its readers.
  ofAddress: 64,
  requestMs: 10_000,
  checkEveryMs: 2_000,
  answerMs: 15_000,
  idleMs: 20_000,
  unread: 16,
}

/** Characters of an answer that are written at once, or an item that has more. */
const WRITE_CHARACTERS = 65_536

/** Most characters of a path in an answer or a log. */
const SHOWN_CHARACTERS = 200

/**
 * Serves JSON, read-only, to any page: the content is public.
 *
 * @throws {HttpPortError} if the port is taken, or the address is not one of this machine.
 */
export async function serveJson(
  { port, bind }: { port: number; bind: string },
  routes: readonly Route[],
  logger: Logger,
  limits: HttpLimits = defaultHttpLimits,
): Promise<Server> {
  const answers = createAnswers(routes)
  const readers = createReaders(limits.unread)
  const asking = new WeakSet<Socket>()
  const { requestMs, checkEveryMs } = limits
  const timeouts = { headersTimeout: requestMs, requestTimeout: requestMs, connectionsCheckingInterval: checkEveryMs }
  const server = createServer(timeouts, async (request, response) => {
    const path = URL.parse(request.url ?? '/', 'http://localhost')?.pathname ?? 'no path'
    const shown = path.slice(0, SHOWN_CHARACTERS)
    const { socket } = request
    // Pages do not pipeline requests. A client that does could queue any number of answers on one connection.
    if (asking.has(socket)) return void socket.destroy()
    asking.add(socket)
    try {
      await send(request, response, await answer(request, path, shown), readers)
    } catch (error) {
      logger.error('a request failed', { path: shown, error })
      // An incomplete answer has no end, which its reader notices.
      if (response.headersSent) response.destroy()
      else await send(request, response, failed, readers)
    } finally {
      asking.delete(socket)
    }
  })
  limitConnections(server, { total: limits.connections, ofAddress: limits.ofAddress })
  server.setTimeout(limits.idleMs)

  async function answer({ method }: IncomingMessage, path: string, shown: string): Promise<Answer> {
    if (method !== 'GET') return { status: 405, body: { error: 'GET only' } }
    const until = withDeadline(undefined, limits.answerMs)
    try {
      return (await beforeAbort(answers(path), until)) ?? { status: 404, body: { error: `nothing at ${shown}` } }
    } catch (error) {
      if (error !== until.reason) throw error
      return late
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(explain(cause, port, bind))
    })
    server.listen(port, bind, resolve)
  })
  return server
}

function explain(cause: NodeJS.ErrnoException, port: number, bind: string): Error {
  if (cause.code === 'EADDRINUSE')
    return new HttpPortError(`Port ${port} is taken.`, {
      hint: 'Stop what listens there, or choose another port with --http.',
      cause,
    })
  if (cause.code === 'EADDRNOTAVAIL')
    return new HttpPortError(`${bind} is not an address of this machine.`, {
      hint: 'Name one of its own with --bind, or 0.0.0.0 for all.',
      cause,
    })
  return cause
}

const failed: Answer = { status: 500, body: { error: 'this request failed; see the log of the gateway' } }

const late: Answer = { status: 503, body: { error: 'no answer in time: the chain may not answer; try again' } }

type Readers = { taken(response: ServerResponse): Promise<void> }

/** Readers that answers wait for: above `most`, the one that has been idle for longest is dropped. */
function createReaders(most: number): Readers {
  const slow = new Set<ServerResponse>()
  return {
    /** Resolves once a reader has received the written data, or is gone. */
    async taken(response) {
      slow.add(response)
      const [slowest] = slow
      if (slow.size > most) slowest?.destroy()
      await new Promise<void>(resolve => {
        const done = () => {
          response.off('drain', done).off('close', done)
          resolve()
        }
        response.on('drain', done).on('close', done)
      })
      slow.delete(response)
    },
  }
}

/** Generated as fast as it is read, not ahead of a slow reader. */
async function send(
  { method }: IncomingMessage,
  response: ServerResponse,
  { status, body }: Answer,
  readers: Readers,
): Promise<void> {
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
    // The body of any other method is not read.
    ...(method === 'GET' ? {} : { connection: 'close' }),
  })
  let text = ''
  for (const piece of jsonPieces(body)) {
    text += piece
    if (text.length < WRITE_CHARACTERS) continue
    const part = text
    text = ''
    await yieldToEventLoop()
    if (response.destroyed) return
    if (!response.write(part)) await readers.taken(response)
  }
  response.end(text)
}

/**
 * An object as JSON, in pieces to be written one after the other: its lists come item by item. A round of the largest bundles has
 * tens of megabytes, and is never one long piece.
 */
export function* jsonPieces(body: object): Generator<string> {
  let before = '{'
  for (const [key, value] of Object.entries(body)) {
    if (value === undefined) continue
    yield `${before}${JSON.stringify(key)}:`
    before = ','
    if (Array.isArray(value)) yield* listPieces(value)
    else yield JSON.stringify(value)
  }
  yield before === '{' ? '{}' : '}'
}

function* listPieces(items: readonly unknown[]): Generator<string> {
  let before = '['
  for (const item of items) {
    yield `${before}${JSON.stringify(item) ?? 'null'}`
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}
