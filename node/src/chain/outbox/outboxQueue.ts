import type { OutboxEntry } from '#core/outboxStore.ts'
import type { Head, OutboxModules, OutboxOptions } from './outboxOptions.ts'
import type { OutboxSender } from './outboxSender.ts'

type QueueModules = Pick<OutboxModules, 'store' | 'rpc' | 'logger'> & Pick<OutboxSender, 'signAndSend'>

type OutboxQueue = {
  /** Signs and sends the oldest due entry, and others of its kind that may be pending together. */
  sendNext(head: Head): Promise<void>
  /** Whether a simulation reverted that another one must confirm. */
  hasReverts(): boolean
  forget(id: number): void
}

/**
 * Calls that are sent together, by the first part of their keys. Each is for another shard of its round, so that calls of one kind are
 * independent of each other.
 */
const SIDE_BY_SIDE = new Set(['commit-votes', 'reveal-votes', 'settle', 'open-component', 'close-openings'])

/** The entries that are not signed yet. */
export function createOutboxQueue(
  { store, rpc, logger, signAndSend }: QueueModules,
  options: OutboxOptions,
): OutboxQueue {
  /** Entry → simulations in a row that reverted. */
  const reverts = new Map<number, number>()

  function refuse(entry: OutboxEntry, error: string): void {
    const count = (reverts.get(entry.id) ?? 0) + 1
    reverts.set(entry.id, count)
    if (count < options.simulations) return
    reverts.delete(entry.id)
    store.setStatus(entry.id, 'reverted', error)
    logger.info('a call would revert and was not sent', { call: entry.key, error })
  }

  return {
    hasReverts: () => reverts.size > 0,
    forget: id => void reverts.delete(id),
    async sendNext(head) {
      const due = store.live().filter(({ status, fromRound }) => status === 'queued' && head.round >= (fromRound ?? -1))
      const [first] = due
      if (first === undefined) return
      const kind = kindOf(first)
      const together = SIDE_BY_SIDE.has(kind) ? due.filter(entry => kindOf(entry) === kind) : [first]
      const ready: { entry: OutboxEntry; gas: bigint }[] = []
      for (const entry of together.slice(0, options.atOnce)) {
        const simulated = await rpc.simulate(entry)
        if ('revertedWith' in simulated) {
          refuse(entry, simulated.revertedWith)
          continue
        }
        reverts.delete(entry.id)
        ready.push({ entry, gas: simulated.gas })
      }
      if (ready.length === 0) return
      // Read again: an earlier transaction may have been mined since this step began, and its nonce is used.
      const nonces = await rpc.nonces()
      if (store.minedFromNonce(nonces.latest).length > 0) return
      // Our own leftovers in the pool are replaced; we queue behind those of another process on this account.
      const replaces = store.highestFeeAt(nonces.latest) !== null
      const nonce = replaces ? nonces.latest : Math.max(nonces.latest, nonces.pending)
      for (const [at, { entry, gas }] of ready.entries()) await signAndSend(entry, head, nonce + at, gas)
    },
  }
}

const kindOf = ({ key }: OutboxEntry) => key.split(':')[0] ?? ''
