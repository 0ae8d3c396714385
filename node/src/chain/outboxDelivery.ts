import type { Hex } from '#core/hex.ts'
import type { OutboxEntry } from '#core/outboxStore.ts'
import type { OutboxModules, OutboxOptions } from './outbox.ts'
import type { Fees } from './outboxRpc.ts'

type Head = { block: number; round: number }
/** The block of this step, and whether to take another step without waiting for a new block. */
export type Delivered = { block: number | null; again: boolean }

/** The chain's pool takes a replacement from +10 % on. */
const BUMP_PERCENT = 125n
/** 1.25^9 is 7.5 times the first fee: past that, waiting is all that is left. */
const MAX_ATTEMPTS = 10

/**
 * Calls that are sent together, by the first part of their keys. Each is for another shard of its round, so that calls of one kind are
 * independent of each other.
 */
const SIDE_BY_SIDE = new Set(['commit-votes', 'reveal-votes', 'settle', 'open-component', 'close-openings'])

/**
 * One step of delivery: check the status of every transaction, drop those whose round has passed, send lost ones again,
 * then sign and send the next.
 *
 * Everything that must outlive the process is in the store. State here only saves requests.
 */
export function createDelivery(modules: OutboxModules, options: OutboxOptions): () => Promise<Delivered> {
  const { store, rpc, head: readHead, clock, logger } = modules
  /** Entry → its newest attempt that was broadcast, and in which blocks first and last. */
  const sent = new Map<number, { hash: Hex; firstBlock: number; lastBlock: number }>()
  /** Entry → block in which its nonce was first seen taken by another transaction. */
  const displacedSince = new Map<number, number>()
  const reverts = new Map<number, number>()
  let lastBlock: number | null = null

  async function follow(entry: OutboxEntry, head: Head): Promise<void> {
    // Until it is deep, its used nonce says enough.
    const isShallow = entry.minedBlock !== null && isBelow(entry.minedBlock, head)
    if (entry.status === 'mined' && isShallow && head.block >= (entry.minedBlock ?? 0)) return
    for (const { hash } of entry.attempts.toReversed()) {
      const receipt = await rpc.receipt(hash)
      if (receipt === null) continue
      if (entry.status !== 'mined' || entry.minedHash !== hash || entry.minedBlock !== receipt.block) {
        const error = receipt.succeeded ? null : await rpc.revertReason(entry, receipt.block)
        store.markMined(entry.id, { hash, block: receipt.block, revertedWith: error })
        logger.debug('transaction mined', { call: entry.key, hash, block: receipt.block, error })
        entry.detail = error
      }
      if (!isBelow(receipt.block, head)) {
        store.setStatus(entry.id, entry.detail === null ? 'confirmed' : 'reverted', entry.detail)
        for (const memory of [sent, displacedSince, reverts]) memory.delete(entry.id)
      }
      return
    }
    if (entry.status === 'mined') reopen(entry)
  }

  /** Whether a block is less deep than it takes to be final. */
  const isBelow = (block: number, head: Head) => head.block - block + 1 < options.confirmations

  function reopen(entry: OutboxEntry): void {
    store.setStatus(entry.id, 'signed', null)
    sent.delete(entry.id)
    logger.info('a reorganisation took a transaction; sending it again', { call: entry.key, block: entry.minedBlock })
  }

  async function sendAgain(entry: OutboxEntry, head: Head, nonce: number): Promise<void> {
    const attempt = entry.attempts.at(-1)
    if (attempt === undefined) return
    if (attempt.nonce < nonce) return displaced(entry, head)
    displacedSince.delete(entry.id)
    const last = sent.get(entry.id)
    if (last === undefined || last.hash !== attempt.hash || head.block < last.lastBlock) return broadcast(entry, head)
    if (head.block - last.firstBlock >= options.stuckBlocks && entry.attempts.length < MAX_ATTEMPTS) {
      if (attempt.nonce > nonce && !holds(nonce) && (await rpc.nonces()).pending <= attempt.nonce)
        return fillGap(head, nonce)
      return signAndSend(entry, head, attempt.nonce, attempt.gas)
    }
    if (head.block - last.lastBlock >= options.rebroadcastBlocks) await broadcast(entry, head)
  }

  /** Whether one that is on its way has a nonce. */
  const holds = (nonce: number) =>
    store.live().some(({ status, attempts }) => status === 'signed' && attempts.at(-1)?.nonce === nonce)

  /** Another transaction of the account took the nonce. Ours is signed again once that one is deep; earlier, both could be mined. */
  async function displaced(entry: OutboxEntry, head: Head): Promise<void> {
    const since = displacedSince.get(entry.id) ?? head.block
    displacedSince.set(entry.id, since)
    if (head.block - since < options.confirmations) return
    logger.info('the nonce was taken by another transaction of this account; signing again', { call: entry.key })
    displacedSince.delete(entry.id)
    store.setStatus(entry.id, 'queued', null)
    await next(head)
  }

  /** A transaction of somebody else on this account, which ours was queued behind, has vanished. */
  async function fillGap(head: Head, nonce: number): Promise<void> {
    const filler = { key: `gap:${nonce}`, to: rpc.address, data: '0x' as Hex, fromRound: null, throughRound: null }
    const entry = store.insert(filler)
    if (entry.status === 'queued') await signAndSend(entry, head, nonce, 21_000n)
    else if (entry.status === 'signed') await broadcast(entry, head)
  }

  /** Signs and sends the oldest entry that is due, and with it others of its kind that may go out side by side. */
  async function next(head: Head): Promise<void> {
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
    // Our own leftovers in the pool are replaced; behind those of another process on this account we queue.
    const replaces = store.highestFeeAt(nonces.latest) !== null
    const nonce = replaces ? nonces.latest : Math.max(nonces.latest, nonces.pending)
    for (const [at, { entry, gas }] of ready.entries()) await signAndSend(entry, head, nonce + at, gas)
  }

  function refuse(entry: OutboxEntry, error: string): void {
    const count = (reverts.get(entry.id) ?? 0) + 1
    reverts.set(entry.id, count)
    if (count < options.simulations) return
    reverts.delete(entry.id)
    store.setStatus(entry.id, 'reverted', error)
    logger.info('a call would revert and was not sent', { call: entry.key, error })
  }

  async function signAndSend(entry: OutboxEntry, head: Head, nonce: number, gas: bigint): Promise<void> {
    const wanted = bumped(await rpc.fees(), store.highestFeeAt(nonce))
    const fees = capped(wanted, options.maxFeePerGasWei)
    // What is at the cap cannot be replaced: it waits until blocks are cheaper.
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
  }

  async function broadcast(entry: OutboxEntry, head: Head): Promise<void> {
    const attempt = entry.attempts.at(-1)
    if (attempt === undefined) return
    const outcome = await rpc.send(attempt.raw)
    const before = sent.get(entry.id)
    const firstBlock = before?.hash === attempt.hash ? Math.min(before.firstBlock, head.block) : head.block
    // One that is priced too low to enter the pool is as good as stuck.
    const stuckBlock = outcome === 'underpriced' ? head.block - options.stuckBlocks : firstBlock
    sent.set(entry.id, { hash: attempt.hash, firstBlock: stuckBlock, lastBlock: head.block })
    if (outcome === 'no funds')
      logger.warn('the account cannot pay; send it funds', { call: entry.key, account: rpc.address })
    else if (typeof outcome === 'object') logger.warn('a transaction was refused', { call: entry.key, ...outcome })
    else logger.debug('transaction broadcast', { call: entry.key, hash: attempt.hash, nonce: attempt.nonce, outcome })
  }

  return async () => {
    // Nonces before receipts: a nonce that is used, with no receipt after that, was used by another transaction.
    const head = await readHead()
    // A chain that fell back may have lost what was final, and at the start nobody knows what it lost.
    const mayHaveLost = lastBlock === null || head.block < lastBlock
    const nonce = mayHaveLost || store.live().some(entry => isDue(entry, head)) ? await rpc.latestNonce() : null
    for (const entry of nonce === null ? [] : store.minedFromNonce(nonce)) reopen(entry)
    lastBlock = head.block
    for (const entry of store.live()) if (entry.attempts.length > 0) await follow(entry, head)
    for (const { key, throughRound } of store.dropExpired(head.round))
      logger.info('a transaction was dropped: its round has passed', { call: key, throughRound, round: head.round })
    const onTheirWay = store.live().filter(({ status }) => status === 'signed')
    if (nonce !== null) for (const entry of onTheirWay) await sendAgain(entry, head, nonce)
    if (onTheirWay.length === 0) await next(head)
    store.prune(options.keep)
    return { block: head.block, again: reverts.size > 0 }
  }
}

const kindOf = ({ key }: OutboxEntry) => key.split(':')[0] ?? ''

/** An endpoint may ask for any fee: what a transaction pays is bounded here. */
function capped({ maxFeePerGasWei, maxPriorityFeePerGasWei }: Fees, mostWei: bigint): Fees {
  const least = (value: bigint) => (value < mostWei ? value : mostWei)
  return { maxFeePerGasWei: least(maxFeePerGasWei), maxPriorityFeePerGasWei: least(maxPriorityFeePerGasWei) }
}

/** Whether an open entry needs the chain now, and does not only wait for its round. */
function isDue({ attempts, fromRound }: OutboxEntry, head: Head): boolean {
  return attempts.length > 0 || head.round >= (fromRound ?? -1)
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
