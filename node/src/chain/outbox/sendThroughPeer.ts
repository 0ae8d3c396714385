import type { Clock } from '#core/clock.ts'
import { type OutboxIntent, type OutboxStore, ROUND_PASSED } from '#core/outboxStore.ts'
import { outcomeOf, type TxOutcome } from './outbox.ts'

type SendThroughPeerOptions = {
  /** The outbox of the running peer, in the database that it also has open. */
  store: OutboxStore
  clock: Clock
  /** Time between polls of the transaction's status. */
  pollMs?: number
  /** A stopped peer, or one without a chain, sends nothing: after this time the caller gets `stopped`. */
  patienceMs?: number
}

/**
 * Puts a call into the outbox of a peer that runs in another process, and waits for its outcome. An account has one sender: two would use
 * the same nonce. One that was dropped, or refused by simulation, is open again, unless its round is over.
 *
 * @returns `stopped` if the peer has not sent it in time. The call is kept, and the peer resumes it.
 */
export async function sendThroughPeer(options: SendThroughPeerOptions, intent: OutboxIntent): Promise<TxOutcome> {
  const { store, clock, pollMs = 250, patienceMs = 120_000 } = options
  const lastMs = clock.nowMs() + patienceMs
  let entry = store.insert(intent)
  if (entry.detail !== ROUND_PASSED) store.reopenUnmined(entry.id)
  entry = store.get(intent.key) ?? entry
  for (;;) {
    const outcome = outcomeOf(entry)
    if (outcome !== null) return outcome
    if (clock.nowMs() >= lastMs) return { status: 'stopped' }
    await clock.sleep(pollMs)
    entry = store.get(intent.key) ?? entry
  }
}
