import * as schema from 'ponder:schema'
import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import { desc, type ReadonlyDrizzle, sql } from 'ponder'
import { addressOf } from './addressOf.ts'
import { Broadcaster, type Head, type Mark, type Message } from './broadcaster.ts'
import { createPlaces } from './places.ts'

/** Interval of polls for a new block, while there are listeners. */
const POLL_MS = 250

/** Newest rows of the feed that are watched; older ones are history, which GraphQL serves. */
const WINDOW_ROWS = 200

/** Sent while nothing happens, so that proxies keep the connection. */
const HEARTBEAT_MS = 15_000

/** Messages that a slow reader may fall behind before it is cut off; its browser reconnects and resumes. */
const MAX_PENDING = 1_000

/** Twenty of one address: an office behind a router, or a browser with many tabs. A dashboard forwards all its readers from its own. */
const LISTENERS = { total: 200, ofAddress: 20, ofProxy: 150 }

/** `GET /live?last=50`: server-sent events `head`, `item` and `retract`. */
export function liveRoute(db: ReadonlyDrizzle<typeof schema>) {
  const broadcaster = new Broadcaster(
    {
      async readMark(): Promise<Mark> {
        const { rows } = await db.execute<{ checkpoint: string | null; newest: string | null }>(
          sql`SELECT MAX(latest_checkpoint) AS checkpoint, (SELECT MAX(id) FROM feed_item) AS newest FROM _ponder_checkpoint`,
        )
        return { head: decodeHead(rows[0]?.checkpoint ?? null), newestId: rows[0]?.newest ?? null }
      },
      async readRows() {
        const rows = await db.select().from(schema.feedItem).orderBy(desc(schema.feedItem.id)).limit(WINDOW_ROWS)
        return rows.reverse()
      },
    },
    { intervalMs: POLL_MS },
  )
  const places = createPlaces(LISTENERS)

  return (context: Context) => {
    const leave = places.take(addressOf(context))
    if (leave === null) return context.text('too many listeners: try again later', 503)
    const afterId = context.req.header('last-event-id')
    const last = Math.min(Math.max(Math.trunc(Number(context.req.query('last') ?? 0)) || 0, 0), WINDOW_ROWS)
    context.header('cache-control', 'no-cache, no-transform')
    context.header('x-accel-buffering', 'no')
    return streamSSE(context, async stream => {
      const pending: Message[] = []
      let wake = () => {}
      let stop = () => {}
      stream.onAbort(() => wake())
      try {
        stop = await broadcaster.listen(
          message => {
            pending.push(message)
            wake()
          },
          afterId === undefined || afterId === '' ? { last } : { afterId },
        )
        while (!stream.aborted && !stream.closed && pending.length <= MAX_PENDING) {
          const message = pending.shift()
          if (message !== undefined) await stream.writeSSE(message)
          else if (!(await wokenWithin(HEARTBEAT_MS, resolve => (wake = resolve))))
            await stream.write(': still here\n\n')
        }
      } finally {
        stop()
        leave()
      }
    })
  }
}

/** Ponder's checkpoint: 10 digits of Unix seconds, 16 of the chain's id, 16 of the block's number, then the event. */
function decodeHead(checkpoint: string | null): Head | null {
  if (checkpoint === null) return null
  return { timestampSec: Number(checkpoint.slice(0, 10)), blockNumber: Number(checkpoint.slice(26, 42)) }
}

/** @returns true if woken, false after the time. */
function wokenWithin(timeMs: number, onWake: (wake: () => void) => void): Promise<boolean> {
  return new Promise(resolve => {
    const timer = setTimeout(() => resolve(false), timeMs)
    onWake(() => {
      clearTimeout(timer)
      resolve(true)
    })
  })
}
