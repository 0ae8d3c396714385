import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'

/** Address of the connection: a reader can set any address in headers. */
export function addressOf(context: Context): string {
  const { incoming } = (context.env ?? {}) as { incoming?: IncomingMessage }
  return incoming?.socket.remoteAddress ?? ''
}
