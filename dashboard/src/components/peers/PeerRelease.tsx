import type { SeenPeer } from '#sources/gateway.ts'
import type { Part } from '#sources/part.ts'

interface Props {
  seen: Promise<Part<SeenPeer>>
}

/** The release that a peer reports. */
export async function PeerRelease({ seen }: Props) {
  const part = await seen
  const release = part.state === 'ready' ? part.data.release : null
  if (release === null) return <ReleaseFact release="–" note="the gateway has not met it lately" />
  return <ReleaseFact release={`Waggle ${release}`} note="as the peer reports" />
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
