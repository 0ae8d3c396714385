import type { Stream, StreamMessageEvent } from '@libp2p/interface'
import { StreamError } from '../streams/streamError.ts'

type JoinLimits = {
  /** Bytes that wait for the receiver before the sender is told to pause. */
  heldBytes?: number
  /** Receivers behind that many bytes at a time; of more, the one that has been behind for longest is cut off. */
  behind?: number
}

type Hop = { readonly stream: { pb(codec: unknown): unknown; unwrap(): Stream } }

/** The private parts of libp2p's relay that join two streams. */
type Relay = {
  handleConnect(hop: Hop, options: unknown): Promise<void>
  stopHop(stop: unknown, options: unknown): Promise<Stream | undefined>
}

/**
 * The factory of libp2p's relay, changed so that it reads a stream no faster than the other end of the relayed connection does.
 *
 * By itself it reads all that arrives and keeps what the receiver does not read: up to its limit of data for each connection.
 */
export function holdRelayBack<C, T>(create: (components: C) => T): (components: C) => T {
  return components => {
    const service = create(components)
    holdBack(service as Relay)
    return service
  }
}

function holdBack(relay: Relay): void {
  const hold = createHold()
  const connect = relay.handleConnect
  relay.handleConnect = (hop, options) => {
    let target: Stream | undefined
    const stopHop: Relay['stopHop'] = async (...stop) => {
      target = await relay.stopHop(...stop)
      return target
    }
    const stream = {
      pb: (codec: unknown) => hop.stream.pb(codec),
      // Called when the relay is about to join the streams: our listeners come first.
      unwrap() {
        const source = hop.stream.unwrap()
        if (target === undefined) throw new StreamError('closed', 'nothing to join')
        hold(source, target)
        hold(target, source)
        return source
      },
    }
    return connect.call(Object.create(relay, { stopHop: { value: stopHop } }), { ...hop, stream }, options)
  }
}

/**
 * @returns a function to call for two streams before all bytes of the first are sent on the other. From then on it pauses the first while
 * too many bytes wait for the other. With yamux windows of a megabyte, two more may wait for each receiver that is behind.
 */
export function createHold({ heldBytes = 64 << 10, behind = 128 }: JoinLimits = {}) {
  /** Receivers that are behind, the longest first, each with its sender. */
  const waiting = new Map<Stream, Stream>()

  function noteBehind(to: Stream, from: Stream): void {
    if (!waiting.has(to)) waiting.set(to, from)
    if (waiting.size <= behind) return
    const [longest = []] = waiting
    for (const stream of longest) stream.abort(new StreamError('idle', 'too many receivers are behind'))
  }

  return (from: Stream, to: Stream): void => {
    const send = to.send.bind(to)
    let unsent = 0
    let ended = false

    function settle(): void {
      if (unsent + to.writeBufferLength < heldBytes) {
        waiting.delete(to)
        if (from.readStatus === 'paused') from.resume()
        return
      }
      if (from.readStatus === 'readable') from.pause()
      if (!ended) noteBehind(to, from)
    }
    // Inside a `message` event, `resume()` undoes `pause()`. And on `drain` the stream sends in a microtask before this one.
    const settleSoon = (): void => queueMicrotask(settle)

    from.addEventListener('message', ({ data }: StreamMessageEvent) => {
      unsent += data.byteLength
      settleSoon()
    })
    // After this event libp2p's join listens no more, and would lose what a paused stream still holds.
    from.addEventListener('remoteCloseWrite', () => {
      if (from.readStatus === 'paused') from.resume()
    })
    to.addEventListener('close', () => {
      ended = true
      waiting.delete(to)
    })
    to.addEventListener('drain', settleSoon)
    to.addEventListener('idle', settleSoon)
    to.send = bytes => {
      unsent -= bytes.byteLength
      settleSoon()
      return send(bytes)
    }
  }
}
