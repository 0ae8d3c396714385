import type { Hex } from '#core/hex.ts'
import type { OutboxEntry } from '#core/outboxStore.ts'
import type { Head, OutboxModules, OutboxOptions } from './outboxOptions.ts'
import type { Fees } from './outboxRpc.ts'

/** The newest attempt of an entry that was broadcast, with the blocks of the first and the last broadcast. */
type Broadcast = { hash: Hex; firstBlock: number; lastBlock: number }

export type OutboxSender = {
  /** Signs an entry with a nonce and broadcasts it, at a higher fee than a pooled transaction with that nonce. */
  signAndSend(entry: OutboxEntry, head: Head, nonce: number, gas: bigint): Promise<void>
  /** Broadcasts the newest attempt of an entry as it is. */
  broadcast(entry: OutboxEntry, head: Head): Promise<void>
  lastBroadcast(id: number): Broadcast | undefined
  forget(id: number): void
}

/** The chain's pool takes a replacement from +10 % on. */
const BUMP_PERCENT = 125n
/** Part of the highest tip that a first attempt offers at most: nine replacements offer seven times as much. */
const TIP_HEADROOM = 8n

export function createOutboxSender({ store, rpc, clock, logger }: OutboxModules, options: OutboxOptions): OutboxSender {
  const sent = new Map<number, Broadcast>()

  async function broadcast(entry: OutboxEntry, head: Head): Promise<void> {
    const attempt = entry.attempts.at(-1)
    if (attempt === undefined) return
    const outcome = await rpc.send(attempt.raw)
    const before = sent.get(entry.id)
    const firstBlock = before?.hash === attempt.hash ? Math.min(before.firstBlock, head.block) : head.block
    // One that is priced too low for the pool counts as stuck.
    const stuckBlock = outcome === 'underpriced' ? head.block - options.stuckBlocks : firstBlock
    sent.set(entry.id, { hash: attempt.hash, firstBlock: stuckBlock, lastBlock: head.block })
    if (outcome === 'no funds')
      logger.warn('the account cannot pay; send it funds', { call: entry.key, account: rpc.address })
    else if (typeof outcome === 'object') logger.warn('a transaction was refused', { call: entry.key, ...outcome })
    else logger.debug('transaction broadcast', { call: entry.key, hash: attempt.hash, nonce: attempt.nonce, outcome })
  }

  return {
    broadcast,
    lastBroadcast: id => sent.get(id),
    forget: id => void sent.delete(id),
    async signAndSend(entry, head, nonce, gas) {
      const suggested = tipCapped(await rpc.fees(), options.maxTipPerGasWei / TIP_HEADROOM)
      const wanted = bumped(suggested, store.highestFeeAt(nonce))
      const fees = capped(wanted, options)
      // A transaction at the fee cap cannot be replaced: it waits until blocks are cheaper.
      const last = entry.attempts.at(-1)
      if (last !== undefined && last.nonce === nonce && last.maxFeePerGasWei >= fees.maxFeePerGasWei)
        return broadcast(entry, head)
      if (wanted.maxFeePerGasWei > fees.maxFeePerGasWei)
        logger.warn('gas costs more than this peer pays; the transaction waits', {
          ...{ call: entry.key, wantedWei: wanted.maxFeePerGasWei, maxWei: fees.maxFeePerGasWei },
        })
      const signed = await rpc.sign({ to: entry.to, data: entry.data, valueWei: entry.valueWei, nonce, gas, ...fees })
      store.addAttempt(entry.id, { ...signed, nonce, gas, ...fees, signedAtMs: clock.nowMs() })
      const stored = store.get(entry.key)
      if (stored !== undefined) await broadcast(stored, head)
    },
  }
}

/** An endpoint may suggest any tip, and all of it is paid, unlike what the fee leaves over the block's own. */
function tipCapped({ maxFeePerGasWei, maxPriorityFeePerGasWei: tip }: Fees, mostWei: bigint): Fees {
  const followed = least(tip, mostWei)
  return { maxFeePerGasWei: maxFeePerGasWei - (tip - followed), maxPriorityFeePerGasWei: followed }
}

const least = (one: bigint, other: bigint) => (one < other ? one : other)

/** Bounds what a transaction pays. A tip above the fee would be refused. */
function capped({ maxFeePerGasWei, maxPriorityFeePerGasWei }: Fees, most: OutboxOptions): Fees {
  const fee = least(maxFeePerGasWei, most.maxFeePerGasWei)
  return {
    maxFeePerGasWei: fee,
    maxPriorityFeePerGasWei: least(least(maxPriorityFeePerGasWei, most.maxTipPerGasWei), fee),
  }
}

function bumped(now: Fees, floor: Fees | null): Fees {
  const above = (value: bigint, least: bigint | undefined) => {
    const bid = least === undefined ? 0n : (least * BUMP_PERCENT) / 100n + 1n
    return bid > value ? bid : value
  }
  return {
    maxFeePerGasWei: above(now.maxFeePerGasWei, floor?.maxFeePerGasWei),
    maxPriorityFeePerGasWei: above(now.maxPriorityFeePerGasWei, floor?.maxPriorityFeePerGasWei),
  }
}
