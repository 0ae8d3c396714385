import type { Connection } from '@libp2p/interface'
import type { Clock } from '#core/clock.ts'
import type { Node } from '../libp2pNode.ts'
import { StreamError } from '../streams/streamError.ts'
import { createTokenBucket } from '../tokenBucket.ts'
import type { PeerGuard } from './peerGuard.ts'

/** Streams that a peer may open on a connection, per second and in a burst: a fetch is one, and one on loopback takes a few milliseconds. */
const STREAMS = { perSecond: 512, burst: 4_096 }

/** A connection with the private part of its muxer that is called for each stream that the peer opens. */
type Muxed = Connection & { readonly muxer?: { incomingStream?: (id: number) => void } }

/**
 * Bans peers that open streams without end. libp2p limits only how many are open: a peer that resets each one at once kept the event loop for 20 s
 * with 6 MB, and took half a gigabyte.
 */
export function paceStreams(node: Node, guard: Pick<PeerGuard, 'ban'>, clock: Clock): void {
  node.addEventListener('connection:open', ({ detail: connection }) => {
    const { muxer, remotePeer } = connection as Muxed
    const open = muxer?.incomingStream?.bind(muxer)
    if (muxer === undefined || open === undefined) return
    const bucket = createTokenBucket(STREAMS.perSecond, STREAMS.burst, clock)
    muxer.incomingStream = id => {
      if (bucket.tryTake(1)) return open(id)
      const reason = 'opens streams without end'
      guard.ban(remotePeer.toString(), reason)
      // The muxer closes the connection.
      throw new StreamError('aborted', reason)
    }
  })
}
