import type { Clock } from '#core/clock.ts'
import type { Admission } from '../membership/admission.ts'

/** After this, an endpoint that is one block of 12 s behind has it, even if the answer is a remembered one, which is 5 s old at most. */
const LATE_MS = 20_000
/** Pairs of a forwarder and an author; those beyond are not charged. */
const MAX_WAITING = 4_096
/** Messages that are counted for a pair: fewer lead to a ban. */
const MAX_COUNTED = 128

type Noted = { author: string; sender: string; source: string; atMs: number; count: number }

type Modules = {
  admission: Pick<Admission, 'ask'>
  sourceOf: (sender: string) => string
  clock: Clock
  /** Counts a useless message against its forwarder. */
  charge: (sender: string, reason: string) => void
}

/**
 * Messages of authors that are not registered. The forwarder may know of a registration that our endpoint does not show yet, so it is charged only if
 * the author is still unknown some seconds later. That is asked when another such message arrives, so a flood leads to its own charge. It is asked in a queue
 * of its own: the flood itself keeps the queue of its source full.
 *
 * @returns a function that notes a message.
 */
export function createUnregisteredAuthors({ admission, sourceOf, clock, charge }: Modules) {
  /** Oldest first. */
  const waiting = new Map<string, Noted>()

  async function settle({ author, sender, source, count }: Noted): Promise<void> {
    if ((await admission.ask(author, `again ${source}`)) !== 'unregistered') return
    for (let i = 0; i < count; i += 1) charge(sender, 'author not registered')
  }
  function settleDue(): void {
    for (const [key, noted] of waiting) {
      if (clock.nowMs() - noted.atMs < LATE_MS) return
      waiting.delete(key)
      void settle(noted)
    }
  }
  return (author: string, sender: string): void => {
    settleDue()
    const key = `${sender} ${author}`
    const before = waiting.get(key)
    if (before !== undefined) before.count = Math.min(MAX_COUNTED, before.count + 1)
    else if (waiting.size < MAX_WAITING)
      waiting.set(key, { author, sender, source: sourceOf(sender), atMs: clock.nowMs(), count: 1 })
  }
}
