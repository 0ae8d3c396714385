import { randomBytes } from 'node:crypto'
import type { Connection, Stream } from '@libp2p/interface'
import type { Clock } from '#core/clock.ts'
import { withDeadline } from '#core/deadline.ts'
import type { Logger } from '#core/logger.ts'
import type { Node } from '../libp2pNode.ts'
import { StreamError } from '../streams/streamError.ts'
import { createStreamReader } from '../streams/streamReader.ts'
import { closeStream, writeBytes } from '../streams/streamWriter.ts'

const PING_PROTOCOL = '/ipfs/ping/1.0.0'
const PING_BYTES = 32

type KeepAliveOptions = {
  /** Between two pings of one connection. */
  everyMs?: number
  /** A machine whose cores are all training answers late. */
  timeoutMs?: number
  clock: Clock
  logger: Logger
}

/**
 * Pings every connection, and closes those that do not answer. Used instead of libp2p's monitor, which pings all connections at once:
 * with eight of them that blocks the event loop for 20 ms and more. Here pings are staggered.
 *
 * @returns a function that ends it.
 */
export function keepAlive(node: Node, options: KeepAliveOptions): () => void {
  const { everyMs = 15_000, timeoutMs = 15_000, clock, logger } = options
  const stopping = new AbortController()
  const checkedAtMs = new WeakMap<Connection, number>()
  const lastCheck = (connection: Connection): number => checkedAtMs.get(connection) ?? 0

  async function check(connection: Connection): Promise<void> {
    checkedAtMs.set(connection, clock.nowMs())
    try {
      await ping(connection, timeoutMs, withDeadline(stopping.signal, timeoutMs))
    } catch (cause) {
      // A peer that rejects the protocol has answered, and is alive.
      if (stopping.signal.aborted || (cause instanceof Error && cause.name === 'UnsupportedProtocolError')) return
      logger.debug('a connection is dead', { peer: connection.remotePeer.toString(), cause })
      connection.abort(cause instanceof Error ? cause : new StreamError('closed', cause))
    }
  }
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(everyMs / Math.max(1, node.getConnections().length), stopping.signal)
      const [next] = node.getConnections().sort((a, b) => lastCheck(a) - lastCheck(b))
      // Not awaited: an unresponsive connection must not delay the others.
      if (next !== undefined) void check(next)
    }
  }
  run().catch(cause => {
    if (!stopping.signal.aborted) logger.error('stopped pinging connections', { cause })
  })
  return () => stopping.abort(new StreamError('aborted'))
}

async function ping(connection: Connection, timeoutMs: number, signal: AbortSignal): Promise<void> {
  let stream: Stream | undefined
  try {
    stream = await connection.newStream(PING_PROTOCOL, { signal, runOnLimitedConnection: true })
    const reader = createStreamReader(stream, { idleMs: timeoutMs, signal })
    const sent = randomBytes(PING_BYTES)
    await writeBytes(stream, sent, timeoutMs, signal)
    const answer = await reader.exactly(PING_BYTES).finally(() => reader.release())
    if (Buffer.compare(answer, sent) !== 0) throw new StreamError('closed', 'the answer differs from what was sent')
    await closeStream(stream, timeoutMs)
  } catch (cause) {
    stream?.abort(cause instanceof Error ? cause : new StreamError('closed', cause))
    throw cause
  }
}
