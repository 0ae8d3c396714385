import type { OutboxEntry } from '#core/outboxStore.ts'
import { NO_REASON } from '../revertedWith.ts'
import { ALONE_MS, ALONE_TIMES, type Head, hasPassed, type OutboxModules, type OutboxOptions } from './outboxOptions.ts'
import type { OutboxSender, Refusals } from './outboxSender.ts'

type QueueModules = Pick<OutboxModules, 'store' | 'rpc' | 'clock' | 'logger'> &
  Pick<OutboxSender, 'signAndSend' | 'isSpent'> & { refusals: Refusals }

type OutboxQueue = {
  /**
   * Signs and sends the most urgent due entry that would not revert and that the account can pay, and others of its kind that may be pending
   * together. One that cannot be sent holds up no other.
   */
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

/** Blocks for which a call without a last round must revert without a reason before it is given up. */
const UNEXPLAINED_BLOCKS = 4

/** Simulations in a row that reverted with the same error; its arguments may be of the block. */
type Reverts = { error: string; count: number; firstBlock: number; lastBlock: number; lastMs: number }

/** The entries that are not signed yet. */
export function createOutboxQueue(
  { store, rpc, clock, logger, signAndSend, isSpent, refusals }: QueueModules,
  options: OutboxOptions,
): OutboxQueue {
  const { reverts, restsUntilMs, refuse } = createReverts({ store, clock, logger }, options)

  /** Entry → the last block in which the account could not pay it. Until the next one, the account has no more. */
  const unpaid = new Map<number, number>()

  const dueAt = (head: Head) =>
    store
      .live()
      .filter(entry => entry.status === 'queued' && head.round >= (entry.fromRound ?? -1) && !hasPassed(entry, head))

  /** Whether a call whose nonce was used is on its way after all, by a newer answer. */
  const isOnItsWay = (next: number, head: Head) =>
    store
      .live()
      .some(one => one.status === 'signed' && !hasPassed(one, head) && (one.attempts.at(-1)?.nonce ?? -1) >= next)

  /** The nonce of the next call; null if an earlier one is pending or mined after all. */
  async function freeNonce(head: Head): Promise<number | null> {
    // Read again: an earlier transaction may have been mined since this step began, and its nonce is used.
    const { latest, pending } = await rpc.nonces()
    if (store.minedFromNonce(latest).length > 0 || isOnItsWay(latest, head)) return null
    // Our own leftovers in the pool are replaced; we queue behind those of another process on this account.
    return store.isSigned(latest) ? latest : Math.max(latest, pending)
  }

  return {
    againAtMs(head) {
      const reverting = dueAt(head).filter(({ id }) => reverts.has(id))
      return Math.min(Number.POSITIVE_INFINITY, ...reverting.map(entry => restsUntilMs(entry, head)))
    },
    forget(id) {
      reverts.delete(id)
      unpaid.delete(id)
    },
    async sendNext(head) {
      const isAsked = (entry: OutboxEntry) =>
        unpaid.get(entry.id) !== head.block && restsUntilMs(entry, head) <= clock.nowMs()
      const due = dueAt(head).filter(isAsked).sort(byUrgency(head))
      const sent: OutboxEntry[] = []
      let nonce: number | null = null
      for (const entry of due) {
        if (sent.length === options.atOnce) return
        if (sent[0] !== undefined && !areIndependent(sent[0], entry)) continue
        const simulated = await rpc.simulate(entry)
        refusals.delete(entry.id)
        if ('refused' in simulated) {
          refusals.set(entry.id, simulated.refused)
          continue
        }
        if ('revertedWith' in simulated) {
          refuse(entry, simulated.revertedWith, head)
          continue
        }
        reverts.delete(entry.id)
        nonce ??= await freeNonce(head)
        if (nonce === null) return
        if (await signAndSend(entry, head, nonce, simulated.gas)) {
          sent.push(entry)
          nonce += 1
          continue
        }
        unpaid.set(entry.id, head.block)
        if (isSpent()) return
      }
    },
  }
}

/** The calls that would revert, and when each is simulated again. */
function createReverts(
  { store, clock, logger }: Pick<QueueModules, 'store' | 'clock' | 'logger'>,
  options: OutboxOptions,
) {
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

  return { reverts, restsUntilMs, refuse }
}

const nameOf = (error: string) => error.split('(')[0]
