import type { Clock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import type { OutboxEntry } from '#core/outboxStore.ts'
import { ChainUnreachableError } from '../chainErrors.ts'
import { isRefused } from '../guard/sendOutcome.ts'
import { createDisplacedCalls } from './displacedCalls.ts'
import { isRepeatable } from './isRepeatable.ts'
import { ALONE_MS, ALONE_TIMES, type Head, hasPassed, type OutboxModules, type OutboxOptions } from './outboxOptions.ts'
import { createOutboxQueue } from './outboxQueue.ts'
import { createOutboxReceipts } from './outboxReceipts.ts'
import { createOutboxSender, type OutboxSender, type Refusals } from './outboxSender.ts'

export type Delivered = {
  /** Of this step; null before the first. */
  head: Head | null
  /** The time from which another step is due without a new block, `Infinity` for none. */
  againAtMs: number
  /** A call that waits because an endpoint refuses it alone; null for none. */
  refusal: ChainUnreachableError | null
}

/** Blocks in which a transaction may still be lost on another branch. Two epochs of Ethereum, after which its blocks are final. */
const REORGANISATION_BLOCKS = 64
/** Blocks after which the account's next nonce is read for that alone. */
const NONCE_BLOCKS = 16
/** Most missing nonces before a transaction that pools keep (geth's AccountQueue). A larger gap means a wrong answer. */
const MAX_MISSING = 64

/**
 * One step of delivery: check the status of every transaction, drop those whose round has passed, send lost ones again,
 * then sign and send the next. Those whose round has passed by the newest block alone are left alone.
 *
 * All durable state is in the store. State here only saves requests.
 */
export function createDelivery(modules: OutboxModules, options: OutboxOptions): () => Promise<Delivered> {
  const { store, rpc, head: readHead, clock, logger } = modules
  let lastBlock: number | null = null
  /** Block in which the account's next nonce was read last. */
  let nonceBlock = Number.NEGATIVE_INFINITY
  const certainRound = createCertainRound(clock)
  const refusals: Refusals = new Map()
  const sender = createOutboxSender({ ...modules, refusals }, options)
  const queue = createOutboxQueue({ store, rpc, clock, logger, ...sender, refusals }, options)
  const { sendAgain, onTheirWay, isHeldUp, forgetResending } = createResending(modules, options, sender)
  const forget = (id: number) => {
    sender.forget(id)
    queue.forget(id)
    refusals.delete(id)
    forgetResending(id)
  }
  const { follow, reopen } = createOutboxReceipts({ store, rpc, logger, forget, forgetSent: sender.forget }, options)

  const refused = () => store.live().find(({ id, status }) => status !== 'mined' && refusals.has(id))

  const hasNew = (head: Head) =>
    head.block - (store.lastMinedBlock() ?? Number.NEGATIVE_INFINITY) <= REORGANISATION_BLOCKS

  return async () => {
    // Before anything ends: whoever asked for a call is told its outcome after this.
    store.prune(options.keep)
    // Nonces before receipts: a nonce that is used, with no receipt after that, was used by another transaction.
    const head = await readHead()
    // A reorganised chain may have lost final transactions, and at the start it is unknown which. A longer branch shows only in the nonce.
    const isUnread = head.block - nonceBlock >= NONCE_BLOCKS
    const mayHaveLost = lastBlock === null || head.block < lastBlock || (isUnread && hasNew(head))
    const nonce = mayHaveLost || store.live().some(entry => isDue(entry, head)) ? await rpc.latestNonce() : null
    for (const entry of nonce === null ? [] : store.minedFromNonce(nonce)) reopen(entry)
    lastBlock = head.block
    if (nonce !== null) nonceBlock = head.block
    if (nonce !== null) for (const entry of store.live()) await follow(entry, head, nonce)
    for (const { id, key, throughRound } of store.dropExpired(certainRound.after(head))) {
      forget(id)
      logger.info('a transaction was dropped: its round has passed', { call: key, throughRound, round: head.round })
    }
    if (nonce !== null) for (const entry of onTheirWay(head)) await sendAgain(entry, head, nonce)
    if (!isHeldUp(head)) await queue.sendNext(head)
    const waits = store.live().some(entry => entry.status !== 'mined' && hasPassed(entry, head))
    const dropsAtMs = waits ? certainRound.certainAtMs() : Number.POSITIVE_INFINITY
    const againAtMs = Math.min(dropsAtMs, isHeldUp(head) ? dropsAtMs : queue.againAtMs(head))
    return { head, againAtMs, refusal: errorOf(refused(), refusals) }
  }
}

function errorOf(refused: OutboxEntry | undefined, refusals: Refusals): ChainUnreachableError | null {
  if (refused === undefined) return null
  return new ChainUnreachableError(`The chain refuses the call ${refused.key} (${refusals.get(refused.id)}).`, {
    hint: 'Check the endpoint and the account, or name another endpoint with --rpc; the call is kept and repeated.',
    retryable: true,
  })
}

/** Sends transactions again that were lost, are outbid or stuck, or whose nonce was taken. */
function createResending(modules: OutboxModules, options: OutboxOptions, sender: OutboxSender) {
  const { store, rpc, logger } = modules
  const { signAndSend, signAgain, broadcast } = sender
  const displaced = createDisplacedCalls(modules, options)
  /** Entry → block in which its nonce was first seen far ahead of the account's. */
  const farSince = new Map<number, number>()

  const onTheirWay = (head: Head) => store.live().filter(entry => entry.status === 'signed' && !hasPassed(entry, head))

  /** Whether the next call has to wait for one that may still be mined. */
  const isHeldUp = (head: Head) => onTheirWay(head).some(({ id }) => !displaced.isFinal(id, head))

  /** Whether a pending entry has a nonce. */
  const holds = (head: Head, nonce: number) => onTheirWay(head).some(({ attempts }) => attempts.at(-1)?.nonce === nonce)

  async function sendAgain(entry: OutboxEntry, head: Head, nonce: number): Promise<void> {
    const attempt = entry.attempts.at(-1)
    if (attempt === undefined) return
    if (attempt.nonce < nonce) return displaced.settle(entry, attempt.nonce, head)
    displaced.forget(entry.id)
    // Another call took the nonce while this one's round seemed to have passed.
    const isOutbid = onTheirWay(head).some(other => {
      const last = other.attempts.at(-1)
      return other.id !== entry.id && last?.nonce === attempt.nonce && last.maxFeePerGasWei > attempt.maxFeePerGasWei
    })
    if (isOutbid) return store.setStatus(entry.id, 'queued', null)
    if (attempt.nonce - nonce > MAX_MISSING && attempt.nonce - (await rpc.nonces()).pending > MAX_MISSING) {
      return giveUpNonce(entry, attempt.nonce, head)
    }
    farSince.delete(entry.id)
    const last = sender.lastBroadcast(entry.id)
    if (last === undefined || last.hash !== attempt.hash || head.block < last.lastBlock) return broadcast(entry, head)
    const isDue = head.block - last.lastBlock >= options.rebroadcastBlocks
    // One that was refused may cost less by now, or need less gas.
    if (isRefused(last.outcome) ? isDue : head.block - last.firstBlock >= options.stuckBlocks) {
      if (attempt.nonce > nonce && !holds(head, nonce) && (await rpc.nonces()).pending <= attempt.nonce)
        return fillGap(head, nonce)
      return signAgain(entry, head)
    }
    if (isDue) await broadcast(entry, head)
  }

  /**
   * Ends an attempt at a nonce from a false answer. Others can still send it once the account gets there, so that a call
   * that the chain would take twice is not signed again.
   */
  function giveUpNonce(entry: OutboxEntry, nonce: number, head: Head): void {
    const since = farSince.get(entry.id) ?? head.block
    farSince.set(entry.id, since)
    const repeats = isRepeatable(entry)
    // The false answer may be the one of now.
    if (!repeats && head.block - since < options.confirmations) return
    const reason = `its nonce ${nonce} is far ahead of the account's; check before you repeat it`
    logger.warn('a nonce was far ahead of the account', { call: entry.key, nonce, signedAgain: repeats })
    farSince.delete(entry.id)
    store.setStatus(entry.id, repeats ? 'queued' : 'dropped', repeats ? null : reason)
  }

  /** Fills the gap that a vanished transaction left: one of another sender on this account, behind which ours was queued. */
  async function fillGap(head: Head, nonce: number): Promise<void> {
    const filler = { key: `gap:${nonce}`, to: rpc.address, data: '0x' as Hex, fromRound: null, throughRound: null }
    const entry = store.insert(filler)
    if (entry.status === 'queued') await signAndSend(entry, head, nonce, 21_000n)
    else if (entry.status === 'signed') await broadcast(entry, head)
  }

  const forgetResending = (id: number) => {
    displaced.forget(id)
    farSince.delete(id)
  }
  return { sendAgain, onTheirWay, isHeldUp, forgetResending }
}

/** Whether an open entry needs the chain now, and does not only wait for its round. */
export function isDue({ attempts, fromRound }: OutboxEntry, head: Head): boolean {
  return attempts.length > 0 || head.round >= (fromRound ?? -1)
}

/** Blocks that must agree. */
const HEADS = 3

type CertainRound = {
  /** @returns the round that has certainly begun: the lowest of the last few blocks; -1 until there are so many. */
  after(head: Head): number
  /** When the last head counts again without another block. */
  certainAtMs(): number
}

/**
 * The outbox drops calls of passed rounds for good, so that a single header does not decide it: an endpoint may give a false one, and the first
 * header after a start is compared with nothing.
 */
function createCertainRound(clock: Clock): CertainRound {
  let seen: (Head & { atMs: number; alone: number })[] = []
  /** A chain without traffic may mine no other block. */
  const isSettled = (head: { alone: number } | undefined) => head !== undefined && head.alone >= ALONE_TIMES
  return {
    after(head) {
      const [last, atMs] = [seen.at(-1), clock.nowMs()]
      if (last?.block !== head.block || last.round !== head.round) seen.push({ ...head, atMs, alone: 0 })
      // In either direction: a clock may be set back.
      else if (Math.abs(atMs - last.atMs) >= ALONE_MS) Object.assign(last, { atMs, alone: last.alone + 1 })
      seen = seen.slice(-HEADS)
      while (isSettled(seen[1])) seen.shift()
      return seen.length === HEADS || isSettled(seen[0]) ? Math.min(...seen.map(({ round }) => round)) : -1
    },
    certainAtMs: () => (seen.at(-1)?.atMs ?? 0) + ALONE_MS,
  }
}
