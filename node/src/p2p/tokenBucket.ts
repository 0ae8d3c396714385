import type { Clock } from '#core/clock.ts'

export type TokenBucket = {
  /** Takes `count` tokens. @returns milliseconds to wait before using them; 0 if they were available. */
  takeMs(count: number): number
  /** Takes `count` tokens if they are available. */
  tryTake(count: number): boolean
  /** True when the bucket is full again, so that a new one would be the same. */
  isFull(): boolean
}

/** A bucket of `burst` tokens, refilled at `perSecond`. Taking more than it holds is a debt that delays later takers. */
export function createTokenBucket(perSecond: number, burst: number, clock: Clock): TokenBucket {
  let tokens = burst
  let atMs = clock.nowMs()
  const refill = (): void => {
    const now = clock.nowMs()
    // The clock may be set back.
    tokens = Math.min(burst, tokens + (Math.max(0, now - atMs) / 1000) * perSecond)
    atMs = now
  }
  return {
    takeMs(count) {
      refill()
      tokens -= count
      return tokens >= 0 ? 0 : (-tokens / perSecond) * 1000
    },
    tryTake(count) {
      refill()
      if (tokens < count) return false
      tokens -= count
      return true
    },
    isFull() {
      refill()
      return tokens >= burst
    },
  }
}

/** Minimum of buckets before full ones are removed. */
const MIN_SWEPT = 64

/** One bucket per peer; full ones are removed whenever there are twice as many as after the last removal. */
export function createPeerBuckets(perSecond: number, burst: number, clock: Clock): (peer: string) => TokenBucket {
  const buckets = new Map<string, TokenBucket>()
  let sweptAt = MIN_SWEPT
  return peer => {
    const known = buckets.get(peer)
    if (known !== undefined) return known
    if (buckets.size >= sweptAt) {
      for (const [id, bucket] of buckets) if (bucket.isFull()) buckets.delete(id)
      sweptAt = Math.max(MIN_SWEPT, 2 * buckets.size)
    }
    const bucket = createTokenBucket(perSecond, burst, clock)
    buckets.set(peer, bucket)
    return bucket
  }
}
