import { createServer, type Server } from 'node:http'
import { NodeError } from '#core/errors.ts'
import type { Logger } from '#core/logger.ts'

export class HttpPortError extends NodeError {
  override readonly code = 'HTTP_PORT'
}

/** A path's answer, as JSON; null where there is nothing of that name. */
export type Route = { path: RegExp; answer: (match: RegExpExecArray) => unknown }

/**
 * Serves JSON on loopback, read only, to any page: what it says is public.
 *
 * @throws {HttpPortError} if the port is taken.
 */
export async function serveJson(port: number, routes: readonly Route[], logger: Logger): Promise<Server> {
  const server = createServer((request, response) => {
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json', 'access-control-allow-origin': '*' })
      response.end(JSON.stringify(body))
    }
    if (request.method !== 'GET') return send(405, { error: 'GET only' })
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    answer(path, routes).then(
      body => (body === null ? send(404, { error: `nothing at ${path}` }) : send(200, body)),
      error => {
        logger.error('a request failed', { path, error })
        send(500, { error: 'this request failed; see the log of the gateway' })
      },
    )
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

async function answer(path: string, routes: readonly Route[]): Promise<unknown> {
  for (const route of routes) {
    const match = route.path.exec(path)
    if (match !== null) return await route.answer(match)
  }
  return null
}
