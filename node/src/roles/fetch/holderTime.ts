import type { Clock } from '#core/clock.ts'
import type { Holder } from './holders.ts'

/** Time in a slot that a peer had to answer, and whether its attempt ended by itself. */
type Asked = { slotMs: number; sinceMs: number | null; isDone: boolean }

/** Time that the holders of a payload had to answer: decides the fault if no holder gives it in time. */
export type HolderTime = {
  /** Adds peers that must have it, according to the chain. */
  expect(holders: readonly Holder[]): void
  begin(peerId: string): void
  /** @param isDone - false if its slot expired for others, or if the time was up. */
  end(peerId: string, isDone: boolean): void
  /** Whether each of those peers failed by itself or had `leastMs`; false if the chain names no peer. */
  isEnough(leastMs: number): boolean
}

export function createHolderTime({ nowMs }: Pick<Clock, 'nowMs'>): HolderTime {
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
