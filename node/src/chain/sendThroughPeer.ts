import type { Clock } from '#core/clock.ts'
import type { OutboxIntent, OutboxStore } from '#core/outboxStore.ts'
import { outcomeOf, type TxOutcome } from './outbox.ts'

export type SendThroughPeerOptions = {
  /** The outbox of the peer that runs, in the database that it has open as well. */
  store: OutboxStore
  clock: Clock
  /** Between looks at what became of the transaction. */
  pollMs?: number
  /** A peer that is stopped, or whose chain is away, sends nothing: after so long the caller is told. */
  patienceMs?: number
}

/**
 * Leaves a call in the outbox of a peer that runs in another process, and waits for what becomes of it: an account has one
 * sender, or two nonces collide.
 *
 * @returns `stopped` if the peer has not sent it in time; it is kept, and goes on with the peer.
 */
export async function sendThroughPeer(options: SendThroughPeerOptions, intent: OutboxIntent): Promise<TxOutcome> {
  const { store, clock, pollMs = 250, patienceMs = 120_000 } = options
  const lastMs = clock.nowMs() + patienceMs
  let entry = store.insert(intent)
  for (;;) {
    const outcome = outcomeOf(entry)
    if (outcome !== null) return outcome
    if (clock.nowMs() >= lastMs) return { status: 'stopped' }
    await clock.sleep(pollMs)
    entry = store.get(intent.key) ?? entry
  }
}
