import type { OutboxEntry } from '#core/outboxStore.ts'
import { NO_REASON } from '../revertedWith.ts'
import { ALONE_MS, ALONE_TIMES, type Head, hasPassed, type OutboxModules, type OutboxOptions } from './outboxOptions.ts'
import type { OutboxSender } from './outboxSender.ts'

type QueueModules = Pick<OutboxModules, 'store' | 'rpc' | 'clock' | 'logger'> & Pick<OutboxSender, 'signAndSend'>

type OutboxQueue = {
  /** Signs and sends the most urgent due entry that would not revert, and others of its kind that may be pending together. */
  sendNext(head: Head): Promise<void>
  /** The time from which a simulation is due without a new block; `Infinity` for none. */
  againAtMs(head: Head): number
  forget(id: number): void
}

/**
 * Calls that are sent together, by the first part of their keys. Each is for another shard of its round, or another leaf, so that calls of one kind
 * are independent of each other.
 */
const SIDE_BY_SIDE = new Set([
  'commit-votes',
  'reveal-votes',
  'settle',
  'open-component',
  'close-openings',
  'showLeaf',
  'closeDemand',
])

const kindOf = ({ key }: OutboxEntry) => key.split(':')[0] ?? ''

const areIndependent = (one: OutboxEntry, other: OutboxEntry) =>
  SIDE_BY_SIDE.has(kindOf(one)) && kindOf(one) === kindOf(other)

/**
 * The most urgent first: by last round, then by age. So calls that can wait, however many, hold up none that ends sooner. One without a last round
 * counts as one that ends now: no younger call overtakes it.
 */
const byUrgency = ({ round }: Head) => {
  const lastRound = ({ throughRound }: OutboxEntry) => throughRound ?? round
  return (a: OutboxEntry, b: OutboxEntry) => lastRound(a) - lastRound(b) || a.id - b.id
}

/** Stands for the error of a call that the account cannot pay. */
const UNPAID = 'no funds'
/** Blocks for which a call without a last round must revert without a reason before it is given up. */
const UNEXPLAINED_BLOCKS = 4

/** Simulations in a row that reverted with the same error; its arguments may be of the block. */
type Reverts = { error: string; count: number; firstBlock: number; lastBlock: number; lastMs: number }

/** The entries that are not signed yet. */
export function createOutboxQueue(
  { store, rpc, clock, logger, signAndSend }: QueueModules,
  options: OutboxOptions,
): OutboxQueue {
  const { reverts, restsUntilMs, unpaidBlock, refuse, postpone } = createReverts({ store, clock, logger }, options)

  const dueAt = (head: Head) =>
    store
      .live()
      .filter(entry => entry.status === 'queued' && head.round >= (entry.fromRound ?? -1) && !hasPassed(entry, head))

  /** Whether a call whose nonce was used is on its way after all, by a newer answer. */
  const isOnItsWay = (next: number, head: Head) =>
    store
      .live()
      .some(one => one.status === 'signed' && !hasPassed(one, head) && (one.attempts.at(-1)?.nonce ?? -1) >= next)

  /** The most urgent that would not revert, and others that may be pending with it. One that would revert holds up no other. */
  async function simulateNext(head: Head): Promise<{ entry: OutboxEntry; gas: bigint }[]> {
    const due = dueAt(head).filter(entry => restsUntilMs(entry, head) <= clock.nowMs())
    const ready: { entry: OutboxEntry; gas: bigint }[] = []
    for (const entry of due.sort((a, b) => unpaidBlock(a) - unpaidBlock(b) || byUrgency(head)(a, b))) {
      if (ready.length === options.atOnce) break
      if (ready[0] !== undefined && !areIndependent(ready[0].entry, entry)) continue
      const simulated = await rpc.simulate(entry)
      if ('revertedWith' in simulated) {
        refuse(entry, simulated.revertedWith, head)
        continue
      }
      reverts.delete(entry.id)
      ready.push({ entry, gas: simulated.gas })
    }
    return ready
  }

  return {
    againAtMs: head =>
      Math.min(
        Number.POSITIVE_INFINITY,
        ...(reverts.size === 0 ? [] : dueAt(head).map(entry => restsUntilMs(entry, head))),
      ),
    forget: id => void reverts.delete(id),
    async sendNext(head) {
      const ready = await simulateNext(head)
      if (ready.length === 0) return
      // Read again: an earlier transaction may have been mined since this step began, and its nonce is used.
      const nonces = await rpc.nonces()
      if (store.minedFromNonce(nonces.latest).length > 0 || isOnItsWay(nonces.latest, head)) return
      // Our own leftovers in the pool are replaced; we queue behind those of another process on this account.
      let nonce = store.isSigned(nonces.latest) ? nonces.latest : Math.max(nonces.latest, nonces.pending)
      for (const { entry, gas } of ready) {
        if (await signAndSend(entry, head, nonce, gas)) nonce += 1
        else postpone(entry, head)
      }
    },
  }
}

/** The calls that would revert or cannot be paid, and when each is asked for again. */
function createReverts({ store, clock, logger }: Omit<QueueModules, 'rpc' | 'signAndSend'>, options: OutboxOptions) {
  const reverts = new Map<number, Reverts>()

  /** When a call is simulated again: in another block, or after a while without one. */
  function restsUntilMs({ id }: OutboxEntry, head: Head): number {
    const before = reverts.get(id)
    return before?.lastBlock === head.block ? before.lastMs + ALONE_MS : 0
  }

  /**
   * Whether the reverts of a call settle it: in two blocks, or after two waits without one. Every contract of ours gives a reason: a revert without
   * one is the endpoint's, so that a call with a last round is kept until that has passed.
   */
  function isSettled({ throughRound }: OutboxEntry, { error, count, firstBlock, lastBlock }: Reverts): boolean {
    if (count < Math.max(options.simulations, lastBlock === firstBlock ? 1 + ALONE_TIMES : 0)) return false
    if (error !== NO_REASON) return true
    return throughRound === null && (lastBlock - firstBlock >= UNEXPLAINED_BLOCKS || count > UNEXPLAINED_BLOCKS)
  }

  function refuse(entry: OutboxEntry, error: string, head: Head): void {
    const before = reverts.get(entry.id)
    const [count, firstBlock] =
      before && nameOf(before.error) === nameOf(error) ? [before.count + 1, before.firstBlock] : [1, head.block]
    const now = { error, count, firstBlock, lastBlock: head.block, lastMs: clock.nowMs() }
    reverts.set(entry.id, now)
    if (count === options.simulations && error === NO_REASON)
      logger.warn('an endpoint says that a call reverts, and no reason; asking again', { call: entry.key })
    if (!isSettled(entry, now)) return
    reverts.delete(entry.id)
    store.setStatus(entry.id, 'reverted', error)
    logger.info('a call would revert and was not sent', { call: entry.key, error })
  }

  /** Block in which the account could not pay a call; -1 for any other. */
  function unpaidBlock({ id }: OutboxEntry): number {
    const before = reverts.get(id)
    return before?.error === UNPAID ? before.lastBlock : -1
  }

  /** Puts a call that the account cannot pay behind the others: they may cost less. */
  function postpone({ id }: OutboxEntry, { block }: Head): void {
    reverts.set(id, { error: UNPAID, count: 0, firstBlock: block, lastBlock: block, lastMs: clock.nowMs() })
  }

  return { reverts, restsUntilMs, unpaidBlock, refuse, postpone }
}

const nameOf = (error: string) => error.split('(')[0]
