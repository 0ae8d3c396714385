'use client'

import { createContext, type ReactNode, useContext, useEffect } from 'react'
import { useRoundClock } from '#chain/ChainProvider.tsx'
import { type LiveStream, useLiveStream } from './useLiveStream.ts'
import { useRefresh } from './useRefresh.ts'

/** Without a live stream the page still asks now and then. */
const FALLBACK_MS = 15_000

const LiveContext = createContext<LiveStream>({ state: 'connecting', items: [], retracted: [] })

/** One live stream for the whole page, which is read again when something happened: an event, a new round, a stream lost or back. */
export function LiveProvider({ hasStream, children }: { hasStream: boolean; children: ReactNode }) {
  const stream = useLiveStream(hasStream)
  const refresh = useRefresh()
  const clock = useRoundClock()
  const round = clock.state === 'running' ? clock.round : null
  const { state, items, retracted } = stream

  useEffect(() => {
    if (items.length > 0 || retracted.length > 0 || round !== null || state === 'lost') refresh()
  }, [refresh, items, retracted, round, state])

  useEffect(() => {
    if (state === 'live') return
    const timer = setInterval(refresh, FALLBACK_MS)
    return () => clearInterval(timer)
  }, [refresh, state])

  return <LiveContext value={stream}>{children}</LiveContext>
}

export function useLive(): LiveStream {
  return useContext(LiveContext)
}
