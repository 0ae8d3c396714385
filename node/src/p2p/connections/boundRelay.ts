import type { PeerId, Stream, StreamMessageEvent } from '@libp2p/interface'
import type { Logger } from '#core/logger.ts'
import { StreamError } from '../streams/streamError.ts'

type RelayBounds = {
  /** Bytes that wait at the relay for one end of a relayed connection; with more it is cut off. */
  eachBytes?: number
  /** Bytes that wait for all; with more, one of the peer that most waits for or from is cut off. */
  allBytes?: number
}

/** One direction of a relayed connection. `peerId`: the end that has a place at the relay. `behind`: bytes that wait for the receiver. */
type Way = { readonly from: Stream; readonly to: Stream; readonly peerId: string; behind: number }

type Hop = { readonly stream: { pb(codec: unknown): unknown; unwrap(): Stream } }
type Stop = { readonly connection: { readonly remotePeer: PeerId } }

/** The private parts of libp2p's relay that join two streams. */
type Relay = {
  handleConnect(hop: Hop, options: unknown): Promise<void>
  stopHop(stop: Stop, options: unknown): Promise<Stream | undefined>
}

/** Memory of the objects around a message: a frame may have a single byte. */
const MESSAGE_BYTES = 512

/**
 * The factory of libp2p's relay, changed so that a relayed connection ends whose receiver is too far behind. By itself the relay keeps what
 * a receiver does not read: up to its limit of data for each connection. Ends that speak libp2p stay below, by the windows of their streams.
 */
export function boundRelay<C, T>(create: (components: C) => T, logger: Logger): (components: C) => T {
  return components => {
    const service = create(components)
    watchJoins(service as Relay, logger)
    return service
  }
}

/** @throws {TypeError} if libp2p's relay has other methods than it had. */
function watchJoins(relay: Relay, logger: Logger): void {
  const watch = createRelayBounds(logger)
  const connect = relay.handleConnect
  if (typeof connect !== 'function' || typeof relay.stopHop !== 'function')
    throw new TypeError('libp2p’s relay joins streams in other methods than it did')
  relay.handleConnect = (hop, options) => {
    let target: Stream | undefined
    let peerId = ''
    const stopHop: Relay['stopHop'] = async (stop, stopOptions) => {
      peerId = stop.connection.remotePeer.toString()
      target = await relay.stopHop(stop, stopOptions)
      return target
    }
    const stream = {
      pb: (codec: unknown) => hop.stream.pb(codec),
      // Called when the relay is about to join the streams: our listeners come first.
      unwrap() {
        const source = hop.stream.unwrap()
        if (target === undefined) throw new StreamError('closed', 'nothing to join')
        watch(source, target, peerId)
        return source
      },
    }
    return connect.call(Object.create(relay, { stopHop: { value: stopHop } }), { ...hop, stream }, options)
  }
}

/** @returns a function to call for two streams in the turn in which they are joined, with the id of the end that has a place here. */
export function createRelayBounds(logger: Logger, { eachBytes = 8 << 20, allBytes = 256 << 20 }: RelayBounds = {}) {
  /** Those that something waits for. */
  const ways = new Set<Way>()
  let total = 0

  /** The one with most behind, of the peer with most. */
  function largest(): Way | undefined {
    const ofPeer = new Map<string, number>()
    for (const { peerId, behind } of ways) ofPeer.set(peerId, (ofPeer.get(peerId) ?? 0) + behind)
    const most = Math.max(...ofPeer.values())
    const found = [...ways].filter(({ peerId }) => ofPeer.get(peerId) === most)
    return found.sort((a, b) => b.behind - a.behind)[0]
  }

  /** Neither end learns why: the log of the relay is all that tells. */
  function cutFor(what: 'it' | 'all', way: Way): void {
    const waits = { bytes: way.behind, allBytes: total }
    logger.info(`a relayed connection was cut off: too much waited for ${what}`, { peer: way.peerId, ...waits })
    cut(way)
  }

  function watchWay(from: Stream, to: Stream, peerId: string): void {
    const way: Way = { from, to, peerId, behind: 0 }
    const send = to.send.bind(to)
    let unsent = 0

    function count(): void {
      // libp2p's join lets go of its bytes once both have ended; until then it keeps what one of them sends.
      const behind = hasEnded(from) && hasEnded(to) ? 0 : unsent + to.writeBufferLength
      total += behind - way.behind
      way.behind = behind
      if (behind > 0) ways.add(way)
      else ways.delete(way)
    }

    from.addEventListener('message', ({ data }: StreamMessageEvent) => {
      unsent += data.byteLength + MESSAGE_BYTES
      count()
      if (way.behind > eachBytes) cutFor('it', way)
      else if (total > allBytes) cutFor('all', largest() ?? way)
    })
    to.send = bytes => {
      unsent -= bytes.byteLength + MESSAGE_BYTES
      try {
        return send(bytes)
      } finally {
        count()
      }
    }
    for (const event of ['drain', 'idle', 'close'] as const) to.addEventListener(event, count)
    from.addEventListener('close', count)
  }

  return (source: Stream, target: Stream, peerId: string): void => {
    watchWay(source, target, peerId)
    watchWay(target, source, peerId)
    // libp2p's join, which begins now, waits for good for the end of a stream that has ended before.
    if (hasEnded(source) || hasEnded(target)) queueMicrotask(() => cut({ from: source, to: target }))
  }
}

function cut({ from, to }: Pick<Way, 'from' | 'to'>): void {
  const error = new StreamError('aborted', 'too much waits for the other end, or it is gone')
  from.abort(error)
  to.abort(error)
}

function hasEnded({ status }: Stream): boolean {
  return status !== 'open' && status !== 'closing'
}
