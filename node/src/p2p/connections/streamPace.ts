import type { Connection } from '@libp2p/interface'
import type { Clock } from '#core/clock.ts'
import type { Node } from '../libp2pNode.ts'
import { StreamError } from '../streams/streamError.ts'
import { createTokenBucket } from '../tokenBucket.ts'
import type { PeerGuard } from './peerGuard.ts'

type Pace = { perSecond: number; burst: number; reason: string }

/** Private parts of a muxer that are called for what the peer sends, how often they may be on a connection, and the reason of a ban. */
const PACES = {
  /** For each stream that the peer opens: a fetch is one, and one on loopback takes a few milliseconds. */
  incomingStream: { perSecond: 512, burst: 4_096, reason: 'opens streams without end' },
  /** For each ping or its answer, of 12 bytes: yamux sends one in 30 s. */
  handlePing: { perSecond: 4, burst: 64, reason: 'sends pings without end' },
} satisfies Record<string, Pace>

type Paced = keyof typeof PACES
type Muxed = Connection & { readonly muxer?: Partial<Record<Paced, (received: unknown) => void>> }

/**
 * Bans peers that open streams or ping without end. libp2p limits only how many streams are open: a peer that resets each one at once kept the
 * event loop for 20 s with 6 MB, and took half a gigabyte. It answers each ping, and keeps all answers that the peer does not read: 330 bytes of
 * memory for each.
 */
export function paceStreams(node: Node, guard: Pick<PeerGuard, 'ban'>, clock: Clock): void {
  node.addEventListener('connection:open', ({ detail: connection }) => {
    const { muxer, remotePeer } = connection as Muxed
    if (muxer === undefined) return
    for (const name of Object.keys(PACES) as Paced[]) {
      const call = muxer[name]?.bind(muxer)
      if (call === undefined) continue
      const { perSecond, burst, reason } = PACES[name]
      const bucket = createTokenBucket(perSecond, burst, clock)
      muxer[name] = received => {
        if (bucket.tryTake(1)) return call(received)
        guard.ban(remotePeer.toString(), reason)
        // The muxer closes the connection.
        throw new StreamError('aborted', reason)
      }
    }
  })
}
