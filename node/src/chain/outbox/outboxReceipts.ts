import type { OutboxAttempt, OutboxEntry } from '#core/outboxStore.ts'
import type { Head, OutboxModules, OutboxOptions } from './outboxOptions.ts'

type ReceiptModules = Pick<OutboxModules, 'store' | 'rpc' | 'logger'> & {
  /** Drops an entry's cached attempt: the next one starts over. */
  forgetSent(id: number): void
  /** Drops an entry's cached state: it is final. */
  forget(id: number): void
}

type OutboxReceipts = {
  /**
   * Reads the state of a signed entry: not mined, mined, final, or reverted by a reorganisation.
   *
   * @param nonce - next one of the account: a receipt counts only if its transaction's nonce is used.
   */
  follow(entry: OutboxEntry, head: Head, nonce: number): Promise<void>
  /** Sends an entry again after a reorganisation removed it. */
  reopen(entry: OutboxEntry): void
}

/** Nonces after which a call that ran out of gas at each counts as reverted. */
const MAX_STARVED = 4

/**
 * Whether a transaction did nothing because its gas ran out. A call within a call leaves 1/64 of the gas to its caller (EIP-150), and calls
 * of ours are at most four deep.
 */
export const isStarved = (receipt: { succeeded: boolean; gasUsed: bigint }, { gas }: OutboxAttempt) =>
  !receipt.succeeded && receipt.gasUsed * 16n >= gas * 15n

/** Attempts at one nonce differ in their fees: one of them at most is mined. */
const noncesOf = ({ attempts }: OutboxEntry) => new Set(attempts.map(({ nonce }) => nonce)).size

export function createOutboxReceipts(modules: ReceiptModules, { confirmations }: OutboxOptions): OutboxReceipts {
  const { store, rpc, logger, forget, forgetSent } = modules

  /** Whether a block is less deep than it takes to be final. */
  const isBelow = (block: number, head: Head) => head.block - block + 1 < confirmations

  /** Whether a nonce is used. A block may have come since the account's next one was read. */
  const isUsed = async (nonce: number, next: number) => nonce < next || nonce < (await rpc.latestNonce())

  function reopen(entry: OutboxEntry): void {
    store.setStatus(entry.id, 'signed', null)
    forgetSent(entry.id)
    logger.info('a reorganisation took a transaction; sending it again', { call: entry.key, block: entry.minedBlock })
  }

  return {
    reopen,
    async follow(entry, head, nonce) {
      if (entry.attempts.length === 0) return
      // Until it is deep, its used nonce is enough.
      const isShallow = entry.minedBlock !== null && isBelow(entry.minedBlock, head)
      if (entry.status === 'mined' && isShallow && head.block >= (entry.minedBlock ?? 0)) return
      for (const attempt of entry.attempts.toReversed()) {
        const { hash } = attempt
        const receipt = await rpc.receipt(hash)
        if (receipt === null || !(await isUsed(attempt.nonce, nonce))) continue
        // Calls of others came between estimate and block. Its nonce is used, so it is simulated and signed again once that is final.
        if (isStarved(receipt, attempt) && noncesOf(entry) < MAX_STARVED) continue
        const isKnown = entry.minedHash === hash && entry.minedBlock === receipt.block
        if (entry.status !== 'mined' || !isKnown || (entry.detail === null) !== receipt.succeeded) {
          const error = receipt.succeeded ? null : await rpc.revertReason(entry, receipt.block)
          store.markMined(entry.id, { hash, block: receipt.block, revertedWith: error })
          logger.debug('transaction mined', { call: entry.key, hash, block: receipt.block, error })
          entry.detail = error
        }
        if (!isBelow(receipt.block, head)) {
          store.setStatus(entry.id, entry.detail === null ? 'confirmed' : 'reverted', entry.detail)
          forget(entry.id)
        }
        return
      }
      if (entry.status === 'mined') reopen(entry)
    },
  }
}
