'use client'

import { useLive } from '#live/LiveProvider.tsx'
import type { LiveState } from '#live/useLiveStream.ts'

const labels: Record<LiveState, { text: string; dot: string }> = {
  connecting: { text: 'Connecting', dot: 'bg-line' },
  live: { text: 'Live', dot: 'bg-leaf' },
  lost: { text: 'Stream lost, trying again', dot: 'bg-thorn' },
}

/** Whether what is on the page follows the swarm as it happens. */
export function LiveBadge() {
  const { text, dot } = labels[useLive().state]
  return (
    <span role="status" className="inline-flex items-center gap-2 text-sm text-soft">
      <span className={`size-2 rounded-full ${dot}`} />
      {text}
    </span>
  )
}
