import type { OutboxAttempt, OutboxEntry } from '#core/outboxStore.ts'
import { isRefused, type SendOutcome } from '../guard/sendOutcome.ts'
import type { FeeLimits } from './feeSettings.ts'
import type { Head, OutboxModules } from './outboxOptions.ts'
import type { Fees } from './outboxRpc.ts'

/** Pools take a replacement from 10 % more on. */
const BUMP_PERCENT = 125n
/** Part of the highest tip that a first attempt offers at most: nine replacements offer seven times as much. */
const TIP_HEADROOM = 8n
/** Times the suggested fee that a bid offers at most. A transaction in a pool that offers more is mined before it needs a replacement. */
const MOST_TIMES = 10n
/** Of a transfer of the chain's coin, the cheapest transaction. */
const LEAST_GAS = 21_000n
/** Fees of several nonces that are kept, many more than are pending at once. */
const KEPT = 256

/** Fees, and what a unit of gas would be offered without the limit of this peer. */
export type Bid = { fees: Fees; wantedWei: bigint }

export type OutboxBids = {
  /** The fees that a call offers for a nonce, and that the account can pay; null if it cannot pay the suggested ones. */
  payable(entry: OutboxEntry, head: Head, nonce: number, gas: bigint): Promise<Bid | null>
  /** Takes the answer of a pool to an attempt. */
  answered(attempt: OutboxAttempt, outcome: SendOutcome): void
  /** Whether a pool has a transaction with a nonce, as far as is known. */
  isHeld(nonce: number): boolean
  /** Whether what is left of the balance pays no transaction at all. */
  isSpent(): boolean
  /** Warns of an account that cannot pay, again only once its balance is another one. */
  warnPoor(entry: OutboxEntry): void
}

/**
 * The fees of calls. A bid is raised only over what a pool has, by the answers of this process: what was refused for any other reason than its price, or
 * never sent, raises nothing. After a restart, a pool refuses a bid that is too low for what it has, and the next one is higher.
 */
export function createOutboxBids({ rpc, logger }: Pick<OutboxModules, 'rpc' | 'logger'>, most: FeeLimits): OutboxBids {
  /** Nonce → the highest fees that a pool has for it. */
  const held = new Map<number, Fees>()
  /** Null before the first reading. */
  let balanceWei: bigint | null = null
  /** Part of it that is not bid since: it is read again once that does not suffice, and once a block at most. */
  let leftWei = 0n
  let readBlock: number | null = null
  /** Bids of a block, which the balance does not show yet. */
  let pending = { block: -1, wei: 0n }
  let leastWei = 0n
  let warnedWei: bigint | null | undefined
  return {
    isHeld: nonce => held.has(nonce),
    answered(attempt, outcome) {
      // The pool may have lost the transaction that the refused one was to replace. If it has not, it says so of a lower bid.
      if (isRefused(outcome)) held.delete(attempt.nonce)
      if (outcome === 'no funds') {
        leftWei = 0n
        readBlock = pending.block
      }
      if (outcome !== 'accepted' && outcome !== 'underpriced') return
      held.set(attempt.nonce, highestOf(attempt, held.get(attempt.nonce)))
      const [oldest] = held.keys()
      if (held.size > KEPT && oldest !== undefined) held.delete(oldest)
    },
    async payable({ valueWei = 0n }, { block }, nonce, gas) {
      const suggested = await rpc.fees()
      leastWei = bidOf(suggested, undefined, most).fees.maxFeePerGasWei * LEAST_GAS
      if (pending.block !== block) pending = { block, wei: 0n }
      // Without the funds to outbid what a pool has, the suggestion is right if it has lost that.
      for (const over of new Set([held.get(nonce), undefined])) {
        const bid = bidOf(suggested, over, most)
        const costWei = bid.fees.maxFeePerGasWei * gas + valueWei
        if (costWei > leftWei && readBlock !== block) {
          balanceWei = await rpc.balance()
          leftWei = balanceWei - pending.wei
          readBlock = block
        }
        if (costWei > leftWei) continue
        leftWei -= costWei
        pending.wei += costWei
        return bid
      }
      return null
    },
    isSpent: () => leftWei < leastWei,
    warnPoor({ key }) {
      if (warnedWei !== balanceWei)
        logger.warn('the account cannot pay; send it funds', { call: key, account: rpc.address })
      warnedWei = balanceWei
    },
  }
}

/** The nonce, gas limit and fees of an attempt to be made. */
export type Wanted = Pick<OutboxAttempt, 'nonce' | 'gas' | keyof Fees>

/**
 * The attempt that serves as well as a new one: at its nonce, with a fee and a gas limit that are less than a tenth away; the newest one, if a pool has
 * it and the new one would not replace it. New bytes for each movement of a price would be attempts without end where an endpoint refuses them.
 *
 * @param attempts - of one call, oldest first.
 * @param isHeld - whether a pool has a transaction with the nonce.
 */
export function attemptLike(
  attempts: readonly OutboxAttempt[],
  { nonce, gas, maxFeePerGasWei: feeWei }: Wanted,
  isHeld: boolean,
): OutboxAttempt | undefined {
  const newest = attempts.at(-1)
  const heldWei = isHeld && newest?.nonce === nonce ? newest.maxFeePerGasWei : 0n
  if (!outbids(feeWei, heldWei)) return newest
  const isLike = (one: OutboxAttempt) => isAbout(one.maxFeePerGasWei, feeWei) && isAbout(one.gas, gas)
  return attempts.findLast(one => one.nonce === nonce && isLike(one) && outbids(one.maxFeePerGasWei, heldWei))
}

/** Whether a pool takes one fee instead of another. */
const outbids = (fee: bigint, other: bigint) => fee * 10n >= other * 11n

const isAbout = (one: bigint, other: bigint) => !outbids(one, other) && !outbids(other, one)

/** The bid of an attempt that replaces none. */
export const firstBid = (suggested: Fees, most: FeeLimits): Bid => bidOf(suggested, undefined, most)

/** The bid of a first attempt, or of one that replaces what a pool has. A tip is raised only with a fee that does: alone it replaces nothing. */
function bidOf(suggested: Fees, held: Fees | undefined, most: FeeLimits): Bid {
  const now = tipCapped(suggested, most.maxTipPerGasWei / TIP_HEADROOM)
  const wanted = held === undefined ? now : bumped(now, held)
  const wantedWei = least(wanted.maxFeePerGasWei, now.maxFeePerGasWei * MOST_TIMES)
  const maxFeePerGasWei = least(wantedWei, most.maxFeePerGasWei)
  const replaces = held === undefined || outbids(maxFeePerGasWei, held.maxFeePerGasWei)
  const tipWei = (replaces ? wanted : now).maxPriorityFeePerGasWei
  // A tip above the fee would be refused.
  const maxPriorityFeePerGasWei = least(least(tipWei, most.maxTipPerGasWei), maxFeePerGasWei)
  return { fees: { maxFeePerGasWei, maxPriorityFeePerGasWei }, wantedWei }
}

/** An endpoint may suggest any tip, and all of it is paid, unlike what the fee leaves over the block's own. */
function tipCapped({ maxFeePerGasWei, maxPriorityFeePerGasWei: tip }: Fees, mostWei: bigint): Fees {
  const followed = least(tip, mostWei)
  return { maxFeePerGasWei: maxFeePerGasWei - (tip - followed), maxPriorityFeePerGasWei: followed }
}

function bumped(now: Fees, held: Fees): Fees {
  const above = (fee: bigint) => (fee * BUMP_PERCENT) / 100n + 1n
  return highestOf(now, {
    maxFeePerGasWei: above(held.maxFeePerGasWei),
    maxPriorityFeePerGasWei: above(held.maxPriorityFeePerGasWei),
  })
}

function highestOf(one: Fees, other: Fees = { maxFeePerGasWei: 0n, maxPriorityFeePerGasWei: 0n }): Fees {
  return {
    maxFeePerGasWei: highest(one.maxFeePerGasWei, other.maxFeePerGasWei),
    maxPriorityFeePerGasWei: highest(one.maxPriorityFeePerGasWei, other.maxPriorityFeePerGasWei),
  }
}

/** `Math.min` and `Math.max` take no bigints. */
const least = (one: bigint, other: bigint) => (one < other ? one : other)
const highest = (one: bigint, other: bigint) => (one > other ? one : other)
