import type { Clock } from '#core/clock.ts'
import type { Holder } from './holders.ts'

/** What a peer was given to answer in: time in a slot, and whether it came to an end by itself. */
type Asked = { slotMs: number; sinceMs: number | null; isDone: boolean }

/** Keeps whether a payload was looked for, where the time runs out before anybody gives it. */
export type Looked = {
  /** The peers that must have it by what the chain says. */
  expect(holders: readonly Holder[]): void
  begin(peerId: string): void
  /** @param isDone - false where it could not answer because others waited, or because the time was up. */
  end(peerId: string, isDone: boolean): void
  /** Whether each of those peers failed by itself, or had `leastMs`. Where the chain names none, nobody knows. */
  isEnough(leastMs: number): boolean
}

export function createLooked({ nowMs }: Pick<Clock, 'nowMs'>): Looked {
  const asked = new Map<string, Asked>()

  function spentMs({ slotMs, sinceMs }: Asked): number {
    return slotMs + (sinceMs === null ? 0 : nowMs() - sinceMs)
  }

  return {
    expect(holders) {
      for (const { peerId } of holders)
        if (!asked.has(peerId)) asked.set(peerId, { slotMs: 0, sinceMs: null, isDone: false })
    },
    begin(peerId) {
      const one = asked.get(peerId)
      if (one !== undefined) one.sinceMs = nowMs()
    },
    end(peerId, isDone) {
      const one = asked.get(peerId)
      if (one === undefined) return
      asked.set(peerId, { slotMs: spentMs(one), sinceMs: null, isDone: one.isDone || isDone })
    },
    isEnough(leastMs) {
      const all = [...asked.values()]
      return all.length > 0 && all.every(one => one.isDone || spentMs(one) >= leastMs)
    },
  }
}
