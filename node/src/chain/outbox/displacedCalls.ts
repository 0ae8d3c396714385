import type { Hex } from '#core/hex.ts'
import type { OutboxEntry } from '#core/outboxStore.ts'
import type { Head, OutboxModules, OutboxOptions } from './outboxOptions.ts'
import { isStarved } from './outboxReceipts.ts'

/** Blocks for which a receipt, or the state of an earlier block, may be missing: meanwhile nothing else is sent. */
const LATE_BLOCKS = 30

type DisplacedCalls = {
  /** Acts on a signed entry whose nonce is used, although no attempt of it has a receipt. */
  settle(entry: OutboxEntry, nonce: number, head: Head): Promise<void>
  forget(id: number): void
}

/**
 * Signed calls whose nonce was used without a receipt of theirs. A missing receipt does not prove that another transaction used it: an endpoint's index
 * may lag, or another copy of the peer may have replaced the call at a higher fee.
 *
 * The chain refuses a call for one round a second time, so that it is signed again. Other calls, such as a transfer, would be paid twice: they are
 * signed again only if the transaction that used the nonce is another one, signed by this account.
 */
export function createDisplacedCalls({ store, rpc, logger }: OutboxModules, options: OutboxOptions): DisplacedCalls {
  /** Entry → block in which its nonce was first seen used. */
  const displacedSince = new Map<number, number>()

  function signAgain(entry: OutboxEntry): void {
    logger.info('the nonce was taken by another transaction of this account; signing again', { call: entry.key })
    displacedSince.delete(entry.id)
    store.setStatus(entry.id, 'queued', null)
  }

  function drop(entry: OutboxEntry, why: string): void {
    const reason = `${why}; check before you repeat it`
    logger.warn('a transaction was dropped: its nonce is used', { call: entry.key, reason })
    displacedSince.delete(entry.id)
    store.setStatus(entry.id, 'dropped', reason)
  }

  /** Settles a call by the receipt of the deep transaction that made it: an attempt, or one of another copy of this peer. */
  async function settleBy(entry: OutboxEntry, hash: Hex, head: Head, since: number): Promise<void> {
    const receipt = await rpc.receipt(hash)
    const attempt = entry.attempts.find(one => one.hash === hash)
    if (receipt === null) {
      if (head.block - since >= LATE_BLOCKS) drop(entry, `transaction ${hash} has no receipt`)
    } else if (attempt === undefined) {
      const error = receipt.succeeded ? null : await rpc.revertReason(entry, receipt.block)
      store.markMined(entry.id, { hash, block: receipt.block, revertedWith: error })
      store.setStatus(entry.id, error === null ? 'confirmed' : 'reverted', error)
      displacedSince.delete(entry.id)
    } else if (isStarved(receipt, attempt)) signAgain(entry)
    // Otherwise its receipt has just appeared, and the next step follows it.
  }

  return {
    forget: id => void displacedSince.delete(id),
    async settle(entry, nonce, head) {
      const since = displacedSince.get(entry.id) ?? head.block
      displacedSince.set(entry.id, since)
      // Once the other transaction is deep; earlier, both could be mined.
      if (head.block - since < options.confirmations) return
      if (entry.throughRound !== null) return signAgain(entry)
      const taker = await rpc.minedAt(nonce, head.block).catch(error => {
        if (head.block - since < LATE_BLOCKS) throw error
        return null // the server answered this step's other requests
      })
      if (taker === null) return drop(entry, 'another transaction took its nonce')
      if (head.block - taker.block + 1 < options.confirmations) return
      const { to, data, valueWei = 0n } = entry
      const isSame = taker.to === to.toLowerCase() && taker.data === data.toLowerCase() && taker.valueWei === valueWei
      const isOurs = isSame || entry.attempts.some(({ hash }) => hash === taker.hash)
      return isOurs ? settleBy(entry, taker.hash, head, since) : signAgain(entry)
    },
  }
}
