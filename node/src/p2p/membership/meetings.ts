import type { Clock } from '#core/clock.ts'

/** Within this a new peer asks for what it lacks, and is asked: sent away sooner, it came for nothing. */
const MEETING_MS = 2_000
/** A peer that was here within this time waits for those that were not. */
const LATELY_MS = 60_000

/** Who is connected for long enough to have caught up, and who was here lately. */
export function createMeetings(clock: Clock) {
  const sinceMs = new Map<string, number>()
  /** When each peer was here last, in that order. */
  const hereAtMs = new Map<string, number>()

  const hasMet = (peerId: string): boolean =>
    clock.nowMs() - (sinceMs.get(peerId) ?? Number.POSITIVE_INFINITY) >= MEETING_MS
  function note(peerId: string): void {
    hereAtMs.delete(peerId)
    hereAtMs.set(peerId, clock.nowMs())
  }
  return {
    /** A connection with a peer begins. */
    begin: (peerId: string) => void sinceMs.set(peerId, clock.nowMs()),
    /** @param here - everybody who is connected now. */
    goOn(here: ReadonlyMap<string, unknown>): void {
      for (const peerId of sinceMs.keys()) if (!here.has(peerId)) sinceMs.delete(peerId)
      for (const peerId of here.keys()) if (hasMet(peerId)) note(peerId)
      for (const [peerId, atMs] of hereAtMs) {
        if (clock.nowMs() - atMs < LATELY_MS) return
        hereAtMs.delete(peerId)
      }
    },
    hasMet,
    note,
    wasHereLately: (peerId: string) => clock.nowMs() - (hereAtMs.get(peerId) ?? Number.NEGATIVE_INFINITY) < LATELY_MS,
  }
}
