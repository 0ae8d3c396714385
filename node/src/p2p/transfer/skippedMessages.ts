import type { Clock } from '#core/clock.ts'
import type { SignedMessage } from '../gossip/signedMessage.ts'

type Named = Pick<SignedMessage, 'id'>

/** Messages that are remembered: about 2 MB of ids. */
const MAX_SKIPPED = 16_384
/** How long they are stored: messages that are too early for their round are useful later. */
const REMEMBER_MS = 10 * 60_000

/**
 * Signed messages that are useless here, such as another copy of known addresses. Requests list them as known: otherwise each would be
 * sent again with every answer, thousands every ten seconds in a swarm of 10,000.
 */
export function createSkippedMessages(clock: Clock) {
  /** In the order of arrival: an id never arrives twice while it is listed. */
  const skipped: { named: Named; atMs: number }[] = []
  return {
    add({ id }: Named): void {
      skipped.push({ named: { id }, atMs: clock.nowMs() })
      if (skipped.length > MAX_SKIPPED) skipped.shift()
    },
    all(): Named[] {
      const fresh = skipped.findIndex(({ atMs }) => atMs > clock.nowMs() - REMEMBER_MS)
      skipped.splice(0, fresh === -1 ? skipped.length : fresh)
      return skipped.map(({ named }) => named)
    },
  }
}
