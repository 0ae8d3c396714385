import { danceOf } from '#merge/danceOf.ts'

/** A peer's own waggle dance, to tell peers apart at a glance. Its name is always next to it, so screen readers skip it. */
export function DanceGlyph({ peerKey, size = 32 }: { peerKey: string; size?: number }) {
  const dance = danceOf(peerKey)
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 48 48"
      fill="none"
      aria-hidden="true"
      className="shrink-0 overflow-visible"
    >
      <g transform={`rotate(${dance.angleDeg} 24 24)`} strokeLinecap="round" strokeLinejoin="round">
        <path d={dance.loops.join('')} className="stroke-soft" strokeWidth="1.6" />
        <path d={dance.run} className="stroke-honey" strokeWidth="3.4" />
      </g>
    </svg>
  )
}
