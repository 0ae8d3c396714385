import type { Clock } from '#core/clock.ts'
import type { SignedMessage } from '../gossip/signedMessage.ts'

type Named = Pick<SignedMessage, 'id'>

/** Messages that are remembered: about 2 MB of ids. */
const MAX_PASSED = 16_384
/** For so long: what a round that is too early holds back is wanted later. */
const REMEMBER_MS = 10 * 60_000

/**
 * Messages that were signed and of no use here, such as another copy of addresses that are held. They are named as held when a peer is asked, or
 * each would come again with every answer: in a swarm of 10,000, thousands, every ten seconds.
 */
export function createPassedOver(clock: Clock) {
  /** By when they came: an id never comes twice, while it is named. */
  const passed: { named: Named; atMs: number }[] = []
  return {
    add({ id }: Named): void {
      passed.push({ named: { id }, atMs: clock.nowMs() })
      if (passed.length > MAX_PASSED) passed.shift()
    },
    all(): Named[] {
      const fresh = passed.findIndex(({ atMs }) => atMs > clock.nowMs() - REMEMBER_MS)
      passed.splice(0, fresh === -1 ? passed.length : fresh)
      return passed.map(({ named }) => named)
    },
  }
}
