'use client'

import { useEffect } from 'react'
import { type Freshness, shownFreshness } from '#live/freshness.ts'
import { useLive } from '#live/LiveProvider.tsx'
import { useRefresh } from '#live/useRefresh.ts'

const RETRY_MS = 5_000

const dots: Record<Freshness['state'], string> = {
  connecting: 'bg-line',
  live: 'bg-leaf',
  slow: 'bg-amber',
  stale: 'bg-amber',
  lost: 'bg-thorn',
}

/**
 * Whether the page follows the swarm live.
 *
 * @param isDown - the index did not answer this page, though its stream may be there: it is overloaded, and asked once more soon.
 */
export function LiveBadge({ isDown }: { isDown: boolean }) {
  const freshness = shownFreshness(useLive().freshness, isDown)
  useRetry(freshness.state === 'slow')
  return (
    <span role="status" className="inline-flex items-center gap-2 text-sm text-soft">
      <span className={`size-2 shrink-0 rounded-full ${dots[freshness.state]}`} />
      {wordsOf(freshness)}
    </span>
  )
}

function useRetry(isDue: boolean): void {
  const refresh = useRefresh()
  useEffect(() => {
    if (!isDue) return
    const timer = setInterval(refresh, RETRY_MS)
    return () => clearInterval(timer)
  }, [isDue, refresh])
}

function wordsOf(freshness: Freshness): string {
  switch (freshness.state) {
    case 'connecting':
      return 'Connecting'
    case 'live':
      return 'Live'
    case 'slow':
      return 'Slow to answer, trying again'
    case 'stale':
      return `Stale since ${timeOf(freshness.sinceMs)}`
    case 'lost':
      return `Stream lost${freshness.sinceMs === null ? '' : ` at ${timeOf(freshness.sinceMs)}`}, trying again`
  }
}

/** By the reader's clock; this runs only in a browser, since a server has no stream. */
export function timeOf(atMs: number): string {
  return new Date(atMs).toLocaleTimeString(undefined, { timeStyle: 'medium' })
}
