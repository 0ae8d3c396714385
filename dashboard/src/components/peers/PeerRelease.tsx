import type { SwarmStatus } from '#sources/gateway.ts'
import type { Part } from '#sources/part.ts'

interface Props {
  peerKey: string
  status: Promise<Part<SwarmStatus>>
}

/** The release that a peer reports. */
export async function PeerRelease({ peerKey, status }: Props) {
  const part = await status
  const peer = part.state === 'ready' ? part.data.peers.find(one => one.peerKey === peerKey) : undefined
  if (!peer?.release) return <ReleaseFact release="–" note="the gateway has not met it lately" />
  return <ReleaseFact release={`Waggle ${peer.release}`} note="as the peer reports" />
}

/** A fact of constant height. */
export function ReleaseFact({ release, note }: { release: string; note: string }) {
  return (
    <div className="min-w-0 border-t border-line pt-2">
      <dt className="text-sm text-soft">Release</dt>
      <dd className="mt-0.5">
        <span className="figures">{release}</span> <span className="text-sm text-soft">{note}</span>
      </dd>
    </div>
  )
}
