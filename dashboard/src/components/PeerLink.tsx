import Link from 'next/link'
import { shorten } from '#merge/format.ts'
import { DanceGlyph } from './DanceGlyph.tsx'
import { OwnTag } from './OwnTag.tsx'

interface PeerRef {
  peerKey: string
  peerId: string
  name: string
}

/** A peer in a list: its dance, its three words, the ends of its id. */
export function PeerLink({ peer, compact = false }: { peer: PeerRef; compact?: boolean }) {
  return (
    <Link href={`/peers/${peer.peerKey}`} className="peer group">
      <DanceGlyph peerKey={peer.peerKey} size={compact ? 24 : 34} />
      <span className="min-w-0">
        <span className="peer-name">
          {`${peer.name} `}
          <OwnTag peerKey={peer.peerKey} />
        </span>
        {!compact && (
          <span className="peer-id" title={peer.peerId}>
            {shorten(peer.peerId, 8, 6)}
          </span>
        )}
      </span>
    </Link>
  )
}
