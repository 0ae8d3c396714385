'use client'

import { useEffect, useState } from 'react'
import type { LiveChanges, LiveItem } from '#merge/mergeFeed.ts'
import { openStream, type StreamSource } from './openStream.ts'

export type LiveState = 'connecting' | 'live' | 'lost'

/** Events kept for the feed; older ones are in the page. */
const KEPT = 50

export interface LiveStream extends LiveChanges {
  state: LiveState
}

/** Follows the indexer's server-sent events, which this server hands on. @param isThere - whether it has an indexer. */
export function useLiveStream(isThere: boolean): LiveStream {
  const [stream, setStream] = useState<LiveStream>({
    state: !isThere ? 'lost' : 'connecting',
    items: [],
    retracted: [],
  })
  useEffect(() => {
    if (!isThere) return
    return openStream(
      {
        open: isFirst => new EventSource(`/live${isFirst ? '' : `?last=${KEPT}`}`) as StreamSource,
        wait(callback, delayMs) {
          const timer = setTimeout(callback, delayMs)
          return () => clearTimeout(timer)
        },
      },
      {
        onState: state => setStream(before => ({ ...before, state })),
        on: {
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
  }, [isThere])
  return stream
}
