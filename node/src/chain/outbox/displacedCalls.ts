import type { Hex } from '#core/hex.ts'
import type { OutboxEntry } from '#core/outboxStore.ts'
import { isRepeatable } from './isRepeatable.ts'
import type { MinedTransaction } from './minedAt.ts'
import type { Head, OutboxModules, OutboxOptions } from './outboxOptions.ts'
import { isStarved } from './outboxReceipts.ts'

/** Blocks for which a receipt, or the state of an earlier block, may be missing. */
const LATE_BLOCKS = 30

type DisplacedCalls = {
  /** Acts on a signed entry whose nonce is used, although no attempt of it has a receipt. */
  settle(entry: OutboxEntry, nonce: number, head: Head): Promise<void>
  /** Whether its nonce has been used for so long that it is final: others can be sent. */
  isFinal(id: number, head: Head): boolean
  forget(id: number): void
}

/**
 * Signed calls whose nonce was used without a receipt of theirs. A missing receipt does not prove that another transaction used it: an endpoint's index
 * may lag, or another copy of the peer may have replaced the call at a higher fee.
 *
 * A call that the chain refuses a second time is signed again. Others, such as a transfer, would be paid twice: they are signed again only if their
 * own transaction ran out of gas, or if the one that used the nonce is another one, signed by this account.
 */
export function createDisplacedCalls(modules: OutboxModules, options: OutboxOptions): DisplacedCalls {
  const { store, rpc, logger } = modules
  /** Entry → block in which its nonce was first seen used. */
  const displacedSince = new Map<number, number>()

  function signAgain(entry: OutboxEntry, why: string): void {
    logger.info('signing a call again', { call: entry.key, why })
    displacedSince.delete(entry.id)
    store.setStatus(entry.id, 'queued', null)
  }

  function drop(entry: OutboxEntry, why: string): void {
    const reason = `${why}; check before you repeat it`
    logger.warn('a transaction was dropped: its nonce is used', { call: entry.key, reason })
    displacedSince.delete(entry.id)
    store.setStatus(entry.id, 'dropped', reason)
  }

  const isDeep = (block: number, head: Head) => head.block - block + 1 >= options.confirmations

  /** Settles a call by the receipt of the deep transaction that made it: an attempt, or one of another copy of this peer. */
  async function settleBy(entry: OutboxEntry, hash: Hex, isLate: boolean): Promise<void> {
    const receipt = await rpc.receipt(hash)
    if (receipt === null) {
      if (isLate) drop(entry, `transaction ${hash} has no receipt`)
      return
    }
    // That of an attempt has just appeared, and the next step follows it.
    if (entry.attempts.some(one => one.hash === hash)) return
    const error = receipt.succeeded ? null : await rpc.revertReason(entry, receipt.block)
    store.markMined(entry.id, { hash, block: receipt.block, revertedWith: error })
    store.setStatus(entry.id, error === null ? 'confirmed' : 'reverted', error)
    displacedSince.delete(entry.id)
  }

  // Once the other transaction is deep; earlier, both could be mined.
  const isFinal = (id: number, head: Head) =>
    head.block - (displacedSince.get(id) ?? head.block) >= options.confirmations

  return {
    isFinal,
    forget: id => void displacedSince.delete(id),
    async settle(entry, nonce, head) {
      const since = displacedSince.get(entry.id) ?? head.block
      displacedSince.set(entry.id, since)
      if (!isFinal(entry.id, head)) return
      if (isRepeatable(entry)) return signAgain(entry, 'its nonce is used')
      const own = await ownReceipt(modules, entry, nonce)
      if (own?.isStarved && isDeep(own.block, head)) signAgain(entry, 'its gas ran out')
      if (own !== null) return
      const isLate = head.block - since >= LATE_BLOCKS
      const taker = await takerOf(modules, entry, nonce, head)
      if (taker === null) return isLate ? drop(entry, 'its nonce is used, and it is unknown by what') : undefined
      if (!isDeep(taker.block, head)) return
      if (taker.isOurs) return settleBy(entry, taker.hash, isLate)
      signAgain(entry, 'another transaction of this account took its nonce')
    },
  }
}

/** The receipt of the call's own transaction, which appeared since this step began or says that its gas ran out. */
async function ownReceipt({ rpc }: Pick<OutboxModules, 'rpc'>, entry: OutboxEntry, nonce: number) {
  for (const attempt of entry.attempts) {
    const receipt = attempt.nonce === nonce ? await rpc.receipt(attempt.hash) : null
    if (receipt !== null) return { block: receipt.block, isStarved: isStarved(receipt, attempt) }
  }
  return null
}

/** The transaction that used a call's nonce; null while it is unknown. An outage shows in this step's other requests. */
async function takerOf(
  { rpc, logger }: Pick<OutboxModules, 'rpc' | 'logger'>,
  { key, to, data, valueWei = 0n, attempts }: OutboxEntry,
  nonce: number,
  head: Head,
): Promise<(MinedTransaction & { isOurs: boolean }) | null> {
  const taker = await rpc.minedAt(nonce, head.block).catch(error => {
    logger.debug('the block that used a nonce cannot be read', { call: key, nonce, error })
    return null
  })
  if (taker === null) return null
  const isSame = taker.to === to.toLowerCase() && taker.data === data.toLowerCase() && taker.valueWei === valueWei
  return { ...taker, isOurs: isSame || attempts.some(({ hash }) => hash === taker.hash) }
}
