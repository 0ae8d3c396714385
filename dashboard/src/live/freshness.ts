import type { RoundClock } from '#chain/roundClock.ts'

/** Seconds that the index may be behind the chain and still count as live: a block of the slowest chains, and the time to index it. */
export const STALE_AFTER_SEC = 20

/** State of the indexer's stream. */
export interface StreamState {
  connection: 'connecting' | 'live' | 'lost'
  /** Chain time of the newest indexed block; null before the first message. */
  headSec: number | null
  /** Time when a live stream was lost, by this computer's clock. */
  lostAtMs: number | null
}

/** Whether the page is current, and otherwise since when not, by this computer's clock. */
export type Freshness =
  | { state: 'connecting' | 'live' }
  /** The stream is there, and the index did not answer the page in time. */
  | { state: 'slow' }
  | { state: 'stale'; sinceMs: number }
  | { state: 'lost'; sinceMs: number | null }

/** An open stream is not enough: an indexer that hangs or lost its chain keeps it open and sends no block. */
export function freshnessOf({ connection, headSec, lostAtMs }: StreamState, clock: RoundClock): Freshness {
  if (connection === 'lost') return { state: 'lost', sinceMs: lostAtMs }
  if (connection === 'connecting') return { state: 'connecting' }
  if (clock.state !== 'running' || headSec === null || clock.blockSec - headSec <= STALE_AFTER_SEC)
    return { state: 'live' }
  return { state: 'stale', sinceMs: Math.round((headSec - clock.skewSec) * 1000) }
}

/** The page's freshness. @param isDown - the index did not answer this page, regardless of its stream. */
export function shownFreshness(freshness: Freshness, isDown: boolean): Freshness {
  return isDown && freshness.state === 'live' ? { state: 'slow' } : freshness
}
