'use client'

import type { Freshness } from '#live/freshness.ts'
import { useLive } from '#live/LiveProvider.tsx'

const dots: Record<Freshness['state'], string> = {
  connecting: 'bg-line',
  live: 'bg-leaf',
  stale: 'bg-amber',
  lost: 'bg-thorn',
}

/** Whether what is on the page follows the swarm as it happens. */
export function LiveBadge() {
  const { freshness } = useLive()
  return (
    <span role="status" className="inline-flex items-center gap-2 text-sm text-soft">
      <span className={`size-2 shrink-0 rounded-full ${dots[freshness.state]}`} />
      {wordsOf(freshness)}
    </span>
  )
}

function wordsOf(freshness: Freshness): string {
  switch (freshness.state) {
    case 'connecting':
      return 'Connecting'
    case 'live':
      return 'Live'
    case 'stale':
      return `Stale since ${timeOf(freshness.sinceMs)}`
    case 'lost':
      return `Stream lost${freshness.sinceMs === null ? '' : ` at ${timeOf(freshness.sinceMs)}`}, trying again`
  }
}

/** By the reader's own clock; only a browser gets here, since a server has no stream. */
export function timeOf(atMs: number): string {
  return new Date(atMs).toLocaleTimeString(undefined, { timeStyle: 'medium' })
}
