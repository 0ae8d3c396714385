import { createServer, type Server, type ServerResponse } from 'node:http'
import { NodeError } from '#core/errors.ts'
import type { Logger } from '#core/logger.ts'
import { turns } from '#core/turns.ts'
import { jsonPieces } from './jsonPieces.ts'

export class HttpPortError extends NodeError {
  override readonly code = 'HTTP_PORT'
}

/** A path's answer, as JSON; null where there is nothing of that name. */
export type Route = { path: RegExp; answer: (match: RegExpExecArray) => Promise<object | null> | object | null }

/**
 * Serves JSON on loopback, read only, to any page: what it says is public.
 *
 * @throws {HttpPortError} if the port is taken.
 */
export async function serveJson(port: number, routes: readonly Route[], logger: Logger): Promise<Server> {
  const server = createServer(async (request, response) => {
    const path = URL.parse(request.url ?? '/', 'http://localhost')?.pathname ?? 'no path'
    try {
      if (request.method !== 'GET') return await send(response, 405, { error: 'GET only' })
      const body = await answer(path, routes)
      if (body === null) await send(response, 404, { error: `nothing at ${path}` })
      else await send(response, 200, body)
    } catch (error) {
      logger.error('a request failed', { path, error })
      // Half an answer ends without its end, which its reader notices.
      if (response.headersSent) response.destroy()
      else await send(response, 500, { error: 'this request failed; see the log of the gateway' })
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const hint = 'Stop what listens there, or choose another port with --http.'
      reject(cause.code === 'EADDRINUSE' ? new HttpPortError(`Port ${port} is taken.`, { hint, cause }) : cause)
    })
    server.listen(port, '127.0.0.1', resolve)
  })
  return server
}

async function send(response: ServerResponse, status: number, body: object): Promise<void> {
  response.writeHead(status, { 'content-type': 'application/json', 'access-control-allow-origin': '*' })
  for (const piece of jsonPieces(body)) {
    await turns.give()
    if (response.destroyed) return
    response.write(piece)
  }
  response.end()
}

async function answer(path: string, routes: readonly Route[]): Promise<object | null> {
  for (const route of routes) {
    const match = route.path.exec(path)
    if (match !== null) return await route.answer(match)
  }
  return null
}
