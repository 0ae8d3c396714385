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
    <Link href={`/peers/${peer.peerKey}`} className="group inline-flex min-w-0 items-center gap-2.5 no-underline">
      <DanceGlyph peerKey={peer.peerKey} size={compact ? 24 : 34} />
      <span className="min-w-0">
        <span className="casual block text-balance font-semibold group-hover:underline">
          {peer.name} <OwnTag peerKey={peer.peerKey} />
        </span>
        {!compact && (
          <span className="figures block text-xs text-soft" title={peer.peerId}>
            {shorten(peer.peerId, 8, 6)}
          </span>
        )}
      </span>
    </Link>
  )
}
