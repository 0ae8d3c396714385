'use client'

import { useEffect, useState } from 'react'
import { relativeTime } from '#merge/relativeTime.ts'

const TICK_MS = 10_000

/** Time of an event by its block: relative, with the date in the reader's time zone as a tooltip. */
export function BlockTime({ atSec }: { atSec: number }) {
  const [nowMs, setNowMs] = useState<number | null>(null)
  useEffect(() => {
    setNowMs(Date.now())
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  const at = new Date(atSec * 1000)
  // The server knows neither the reader's time zone nor when the page is read.
  const utc = `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`
  return (
    <time
      dateTime={at.toISOString()}
      title={nowMs === null ? utc : at.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' })}
    >
      {nowMs === null ? utc : relativeTime(atSec, nowMs / 1000)}
    </time>
  )
}
