'use client'

import { useLive } from '#live/LiveProvider.tsx'
import { timeOf } from './LiveBadge.tsx'

/** Shown while the index is far behind the chain: the pages are complete but outdated. */
export function StaleBanner() {
  const { freshness } = useLive()
  if (freshness.state !== 'stale') return null
  return (
    <p role="alert" className="mb-6 rounded-cell bg-honey-pale px-4 py-2 text-sm">
      <strong>The index is behind the chain.</strong> Points, votes and history are of {timeOf(freshness.sinceMs)}. The
      page resumes once the indexer has caught up; if it does not, check that the indexer runs.
    </p>
  )
}
