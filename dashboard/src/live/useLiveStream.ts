'use client'

import { useEffect, useState } from 'react'
import { keepKnown, type LiveChanges, type LiveItem } from '#merge/mergeFeed.ts'
import type { StreamState } from './freshness.ts'
import { openStream, type StreamSource } from './openStream.ts'

/** Events kept for the feed; older ones are in the page. */
const KEPT = 50

export type LiveStream = LiveChanges & StreamState

/**
 * Follows the indexer's server-sent events, which this server forwards.
 *
 * @param isThere - whether it has an indexer.
 * @param attempt - a new number opens the stream once more and asks for what the old one may have missed.
 */
export function useLiveStream(isThere: boolean, attempt: number): LiveStream {
  const [stream, setStream] = useState<LiveStream>({
    connection: isThere ? 'connecting' : 'lost',
    ...{ headSec: null, lostAtMs: null, items: [], retracted: [] },
  })
  useEffect(() => {
    if (!isThere) return
    return openStream(
      {
        open: isFirst => new EventSource(`/live${isFirst && attempt === 0 ? '' : `?last=${KEPT}`}`) as StreamSource,
        wait(callback, delayMs) {
          const timer = setTimeout(callback, delayMs)
          return () => clearTimeout(timer)
        },
      },
      {
        onState: connection => setStream(before => ({ ...before, connection, lostAtMs: lostAt(before, connection) })),
        on: {
          head(data) {
            const { timestampSec } = JSON.parse(data) as { timestampSec: number }
            setStream(before => ({ ...before, headSec: timestampSec }))
          },
          window(data) {
            const { ids } = JSON.parse(data) as { ids: string[] }
            setStream(before => ({ ...before, items: keepKnown(before.items, ids) }))
          },
          item(data) {
            const item = JSON.parse(data) as LiveItem
            setStream(before => ({
              ...before,
              items: [...before.items, item].slice(-KEPT),
              retracted: before.retracted.filter(id => id !== item.id),
            }))
          },
          retract(data) {
            const { id } = JSON.parse(data) as { id: string }
            setStream(before => ({
              ...before,
              items: before.items.filter(item => item.id !== id),
              retracted: [...before.retracted, id].slice(-KEPT),
            }))
          },
        },
      },
    )
  }, [isThere, attempt])
  return stream
}

/** The first loss counts: attempts that fail after it change nothing. */
function lostAt({ connection: before, lostAtMs }: StreamState, connection: StreamState['connection']): number | null {
  if (connection !== 'lost') return null
  return before === 'live' ? Date.now() : lostAtMs
}
