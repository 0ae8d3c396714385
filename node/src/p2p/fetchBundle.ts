import type { Clock } from '#core/clock.ts'
import { withDeadline } from '#core/deadline.ts'
import type { Hex } from '#core/hex.ts'
import type { Logger } from '#core/logger.ts'
import { type FetchFailure, fetchFromPeer } from './fetchFromPeer.ts'
import type { Host } from './host.ts'
import { createKeyedLimit } from './keyedLimit.ts'

export type FetchBundleOptions = {
  contentId: Hex
  /** The size announced, bytes, taken as a limit. */
  size?: number
  /** Peer ids that should have it, best first. */
  from: readonly string[]
  signal?: AbortSignal
}

/** `tried` lists every attempt in order; `reason` is the one that says most about whether to try again. */
export type FetchResult =
  | { ok: true; bytes: Uint8Array; from: string }
  | { ok: false; reason: FetchFailure; tried: { peer: string; reason: FetchFailure }[] }

export type FetchBundle = (options: FetchBundleOptions) => Promise<FetchResult>

export type FetchLimits = {
  /** Streams to one peer at a time; below what it serves, so that an honest peer is never `busy` because of us. */
  streamsPerPeer: number
  /** Gives up on a peer that sends nothing for so long. */
  idleMs: number
  /** Gives up on a peer after so long in all. */
  perPeerMs: number
  /** Peers asked beyond those named. */
  otherPeers: number
  /** Rounds of asking again those that were busy, and the mean wait before each. */
  busyRetries: number
  busyWaitMs: number
}

export const defaultFetchLimits: FetchLimits = {
  streamsPerPeer: 2,
  idleMs: 10_000,
  perPeerMs: 60_000,
  otherPeers: 8,
  busyRetries: 3,
  busyWaitMs: 500,
}

/** What says most comes first: the first three may pass, the last three will not. */
const byWeight: readonly FetchFailure[] = ['busy', 'timeout', 'unreachable', 'mismatch', 'too-large', 'not-found']

const MISMATCH_POINTS = 40

type Options = { limits?: Partial<FetchLimits>; clock: Clock; logger: Logger; random?: () => number }

/** @returns a function that fetches a body: from the holders named, in order, then from other connected peers. */
export function createFetchBundle(host: Host, options: Options): FetchBundle {
  const limits = { ...defaultFetchLimits, ...options.limits }
  const limit = createKeyedLimit(limits.streamsPerPeer)
  const random = options.random ?? Math.random

  async function attempt(peer: string, wanted: FetchBundleOptions): Promise<Uint8Array | FetchFailure> {
    const { contentId, size } = wanted
    const result = await limit.run(peer, () => {
      const signal = withDeadline(wanted.signal, limits.perPeerMs)
      return fetchFromPeer(host.node, { contentId, ...(size && { size }), peer, idleMs: limits.idleMs, signal })
    })
    if (result === 'mismatch') host.guard.penalise(peer, MISMATCH_POINTS, 'sent a body that is not what was asked for')
    if (typeof result === 'string') options.logger.debug('fetch failed', { peer, contentId, reason: result })
    return result
  }

  return async wanted => {
    const tried: { peer: string; reason: FetchFailure }[] = []
    let peers = candidates(host, wanted.from, limits.otherPeers)
    for (let retry = 0; peers.length > 0 && retry <= limits.busyRetries; retry += 1) {
      if (retry > 0 && !(await wait(options.clock, limits.busyWaitMs * (0.5 + random()), wanted.signal))) break
      const busy: string[] = []
      for (const peer of peers) {
        if (wanted.signal?.aborted) return { ok: false, reason: 'timeout', tried }
        const result = await attempt(peer, wanted)
        if (typeof result !== 'string') return { ok: true, bytes: result, from: peer }
        tried.push({ peer, reason: result })
        if (result === 'busy') busy.push(peer)
      }
      peers = busy
    }
    return { ok: false, reason: summary(tried), tried }
  }
}

function candidates(host: Host, from: readonly string[], otherPeers: number): string[] {
  const named = [...new Set(from)].filter(peer => peer !== host.peerId)
  const others = host.connectedPeers().filter(peer => !named.includes(peer))
  return [...named, ...others.slice(0, otherPeers)]
}

function summary(tried: readonly { reason: FetchFailure }[]): FetchFailure {
  return byWeight.find(reason => tried.some(one => one.reason === reason)) ?? 'unreachable'
}

/** False where the signal ended the wait. */
async function wait(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await clock.sleep(ms, signal)
    return true
  } catch (cause) {
    if (signal?.aborted) return false
    throw cause
  }
}
