'use client'

import { useOffline } from 'next/offline'

/** Shown while this browser can't reach the dashboard itself; the page keeps what it last knew. */
export function OfflineBanner() {
  if (!useOffline()) return null
  return (
    <p role="alert" className="bg-thorn px-4 py-2 text-center text-sm font-semibold text-wax">
      The dashboard does not answer. You see the last known state; it resumes once the connection is back.
    </p>
  )
}
