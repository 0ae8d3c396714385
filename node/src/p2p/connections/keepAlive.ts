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
/** Pings that are answered on one stream; `keepAlive` sends one. */
const MAX_ANSWERS = 16

type KeepAliveOptions = {
  /** Between two pings of one connection. */
  everyMs?: number
  /** A machine whose cores are all training answers late. */
  timeoutMs?: number
  clock: Clock
  logger: Logger
}

/**
 * Answers pings. libp2p's own handler sends back any number of bytes, and keeps in memory all that a peer sends and does not read back.
 *
 * @param idleMs - a stream on which nothing arrives, or nothing is read, for this long is reset.
 */
export async function answerPings(node: Node, idleMs = 15_000): Promise<void> {
  const limits = { maxInboundStreams: 2, maxOutboundStreams: 1, runOnLimitedConnection: true }
  await node.handle(PING_PROTOCOL, stream => void answer(stream, idleMs), limits)
}

async function answer(stream: Stream, idleMs: number): Promise<void> {
  const reader = createStreamReader(stream, { idleMs })
  try {
    for (let left = MAX_ANSWERS * PING_BYTES; ; ) {
      const bytes = await reader.chunk(PING_BYTES)
      if (bytes === null) break
      left -= bytes.byteLength
      if (left < 0) throw new StreamError('too-large')
      await writeBytes(stream, bytes, idleMs)
    }
    await closeStream(stream, idleMs)
  } catch (cause) {
    stream.abort(cause instanceof Error ? cause : new StreamError('closed', cause))
  } finally {
    reader.release()
  }
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

/** Sends one ping over a connection. @throws if the answer differs, or does not come in time. */
export async function ping(connection: Connection, timeoutMs: number, signal: AbortSignal): Promise<void> {
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
