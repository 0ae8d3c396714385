'use client'

import { createContext, type ReactNode, useEffect, useState } from 'react'
import { useRoundClock } from '#chain/ChainProvider.tsx'
import { type Held, useAsServed, useHeld } from '#chain/useAsServed.ts'
import { type Freshness, freshnessOf } from './freshness.ts'
import { type LiveStream, useLiveStream } from './useLiveStream.ts'
import { useRefresh } from './useRefresh.ts'

/** Polling interval without a live stream. */
const FALLBACK_MS = 15_000

/** A stream that stays behind may hang on a dead connection: it is reopened at this interval. */
const REOPEN_MS = 30_000

type Live = LiveStream & { freshness: Freshness }

const nothing: Live = {
  ...{ connection: 'connecting', headSec: null, lostAtMs: null, items: [], retracted: [] },
  freshness: { state: 'connecting' },
}
const LiveContext = createContext<Held<Live>>({ now: nothing, first: nothing })

/** One live stream for the whole page, which is read again when something happened: an event, a new round, a stream lost or back. */
export function LiveProvider({ hasStream, children }: { hasStream: boolean; children: ReactNode }) {
  const [attempt, setAttempt] = useState(0)
  const stream = useLiveStream(hasStream, attempt)
  const refresh = useRefresh()
  const clock = useRoundClock()
  const round = clock.state === 'running' ? clock.round : null
  const freshness = freshnessOf(stream, clock)
  const { items, retracted } = stream
  const { state } = freshness

  useEffect(() => {
    if (items.length > 0 || retracted.length > 0 || round !== null || state === 'lost') refresh()
  }, [refresh, items, retracted, round, state])

  useEffect(() => {
    if (state === 'live') return
    const timer = setInterval(refresh, FALLBACK_MS)
    return () => clearInterval(timer)
  }, [refresh, state])

  useEffect(() => {
    if (state !== 'stale') return
    const timer = setInterval(() => setAttempt(before => before + 1), REOPEN_MS)
    return () => clearInterval(timer)
  }, [state])

  const held = useHeld({ ...stream, freshness })
  return <LiveContext value={held}>{children}</LiveContext>
}

export function useLive(): Live {
  return useAsServed(LiveContext)
}
