import type { DialOutcomes } from './connectivity.ts'

export type DialRecord = {
  outcomes(): DialOutcomes
  failed(address: string, cause: unknown): void
  /** A connection is there. */
  opened(peerId: string): void
  /** The last connection with a peer is gone. */
  closed(peerId: string): void
}

type Options = { nowMs: () => number /** Peers connected now. */; peers: () => number }

/** Closed sooner than this, a connection was not wanted by the other side: so long it takes to ask the chain who somebody is. */
const LASTING_MS = 10_000
const SHOWN_CHARACTERS = 160
const none: DialOutcomes = { failed: 0, hungUp: 0, lastFailure: null }

/** Remembers why nobody is connected. A connection that lasts makes what was before it old news. */
export function createDialRecord({ nowMs, peers }: Options): DialRecord {
  const openedAtMs = new Map<string, number>()
  let outcomes = none
  return {
    outcomes() {
      const lasts = [...openedAtMs.values()].some(atMs => nowMs() - atMs >= LASTING_MS)
      if (lasts && peers() > 0) outcomes = none
      return outcomes
    },
    failed(address, cause) {
      const said = cause instanceof Error ? cause.message || cause.name : String(cause)
      outcomes = {
        ...outcomes,
        failed: outcomes.failed + 1,
        lastFailure: `${address}: ${said}`.slice(0, SHOWN_CHARACTERS).replace(/\.$/, ''),
      }
    },
    opened: peerId => void openedAtMs.set(peerId, nowMs()),
    closed(peerId) {
      const lastedMs = nowMs() - (openedAtMs.get(peerId) ?? 0)
      openedAtMs.delete(peerId)
      if (lastedMs < LASTING_MS) outcomes = { ...outcomes, hungUp: outcomes.hungUp + 1 }
      else outcomes = none
    },
  }
}
