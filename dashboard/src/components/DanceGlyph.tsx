import { danceOf } from '#merge/danceOf.ts'

/** A peer's own waggle dance, to tell peers apart at a glance. Its name is always next to it, so screen readers skip it. */
export function DanceGlyph({ peerKey, size = 32 }: { peerKey: string; size?: number }) {
  const dance = danceOf(peerKey)
  return (
    <svg width={size} height={size} viewBox="0 0 48 48" aria-hidden="true" className="dance">
      <g transform={`rotate(${dance.angleDeg} 24 24)`}>
        <path d={dance.loops.join('')} />
        <path d={dance.run} />
      </g>
    </svg>
  )
}
