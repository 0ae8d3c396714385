import { NEVER_SEC } from '@waggle/deployments/protocol'
import {
  AbiEncodingArrayLengthMismatchError,
  AbiEncodingBytesSizeMismatchError,
  AbiEncodingLengthMismatchError,
  AbiFunctionNotFoundError,
  BaseError,
  InvalidAbiEncodingTypeError,
  InvalidAddressError,
} from 'viem'
import { NodeError } from '#base/errors.ts'
import type { Hex } from '#core/hex.ts'
import type { OutboxEntry, OutboxIntent } from '#core/outboxStore.ts'
import { createDelivery, type Delivered, isDue } from './outboxDelivery.ts'
import {
  type Head,
  hasPassed,
  type OutboxModules,
  type OutboxOptions,
  outboxDefaults,
  type StoreDisk,
} from './outboxOptions.ts'

/** The outcome of a transaction, as a value: none of these is a failure of the node. */
export type TxOutcome =
  | { status: 'mined'; hash: Hex; block: number }
  /** `hash` is null if a simulation showed it and nothing was sent. `error` is the contract's, by name, with arguments. */
  | { status: 'reverted'; error: string; hash: Hex | null }
  /** Its round passed before it was mined; or its nonce is used, and nothing proves by what: it may be mined after all. */
  | { status: 'dropped'; reason: string }
  /** The node stops; the transaction is kept, and the next start resumes it. */
  | { status: 'stopped' }

/** Time between polls of the store for calls of other commands. They send no request to the chain. */
const STORE_MS = 1_000
/** Longest wait after a failure: a chain without traffic may mine no block. */
const AFTER_FAILURE_MS = 15_000

export type Outbox = {
  /**
   * Stores the intent; it is on disk when this returns. A known key is not stored twice. One that ended without a transaction in a block, dropped or
   * refused by simulation, is open again unless its round is over.
   */
  enqueue(intent: OutboxIntent): OutboxEntry
  /** Resolves once the transaction is mined or never will be; never rejects. */
  outcome(key: string): Promise<TxOutcome>
  /** Reads the chain once, and acts on it. Throws the chain's errors, without losing anything. */
  tick(): Promise<void>
  /** Ticks until the signal is aborted. Continues through outages of the chain. @throws the failure of one that lasts longer than `outageMs`. */
  run(signal: AbortSignal): Promise<void>
}

/**
 * Sends each intent once, despite crashes: it is stored before it is signed, and signed bytes are stored before they are broadcast, so
 * that a restart can only repeat the same bytes, which the chain accepts once. One transaction is pending at a time, or several of one
 * kind for different shards or leaves. So simulations see all relevant earlier calls, and the nonce of an abandoned transaction is reused by the
 * next one, or by an empty transfer. After the broadcast, only the chain decides whether it is done.
 */
export function createOutbox(modules: OutboxModules, options: Partial<OutboxOptions> = {}): Outbox {
  const settings = { ...outboxDefaults, ...options }
  const { store, disk, clock, logger } = modules
  const waiting = createWaiting(store)
  const deliver = createDelivery(modules, settings)
  let wake = () => {}
  /** Open entries that the last tick has seen. */
  let seen = new Set<number>()
  let last: Delivered = { head: null, againAtMs: Number.POSITIVE_INFINITY, refusal: null }

  async function tick(): Promise<void> {
    seen = new Set(store.live().map(({ id }) => id))
    try {
      last = await deliver()
    } finally {
      // Also after an incomplete tick: its results are valid.
      waiting.notify()
    }
  }

  /** An intent that arrived since the last poll began, from this process or another. */
  const isNew = () => store.live().some(({ id }) => !seen.has(id))

  /**
   * Waits until a block, an intent or a second poll may have changed something. After a failure or a refusal, a block that came meanwhile does not
   * count: an endpoint that refuses at once would be asked again at once.
   */
  async function rest(signal: AbortSignal, hasFailed: boolean): Promise<void> {
    const againAtMs = hasFailed ? clock.nowMs() + Math.min(AFTER_FAILURE_MS, settings.outageMs) : last.againAtMs
    const after = hasFailed ? null : (last.head?.block ?? null)
    const over = new AbortController()
    const until = AbortSignal.any([signal, over.signal])
    wake = () => over.abort()
    if (isNew()) return
    const intents = async () => {
      do await clock.sleep(STORE_MS, until)
      while (clock.nowMs() < againAtMs && !isNew())
    }
    const fromSec = matterFromSec(store.live(), last.head)
    await Promise.race([intents(), modules.nextHead(until, { fromSec, after })]).catch(() => undefined)
    over.abort()
  }

  return {
    tick,
    enqueue(intent) {
      const entry = store.insert(intent)
      if (!(last.head && hasPassed(entry, last.head))) store.reopenUnmined(entry.id)
      wake()
      return store.get(intent.key) ?? entry
    },
    outcome: waiting.outcome,
    async run(signal) {
      let outageSinceMs: number | null = null
      try {
        while (!signal.aborted) {
          const failure = await failureOf(tick, disk, signal)
          if (signal.aborted) break
          if (failure !== undefined && !isOutage(failure)) throw failure
          const outage = failure ?? last.refusal
          if (outage === null && outageSinceMs !== null) logger.info('transactions go out again')
          if (outage !== null && outageSinceMs === null) logger.warn('transactions wait', { error: outage })
          outageSinceMs = outage === null ? null : (outageSinceMs ?? clock.nowMs())
          if (clock.nowMs() - (outageSinceMs ?? clock.nowMs()) >= settings.outageMs) throw outage
          // It reads the store.
          const unread = await failureOf(() => rest(signal, outage !== null), disk, signal)
          if (unread !== undefined) throw unread
        }
      } finally {
        waiting.stop()
      }
    },
  }
}

/** The chain's time from which each block matters. Once all entries are mined, only their depth and reorganisations do. */
function matterFromSec(live: readonly OutboxEntry[], head: Head | null): number {
  const open = live.filter(({ status }) => status !== 'mined')
  if (open.length === 0) return Number.POSITIVE_INFINITY
  if (head === null || open.some(entry => isDue(entry, head))) return 0
  // A schedule that is ended by hand may end with any block.
  return head.endsAtSec === NEVER_SEC ? 0 : (head.endsAtSec ?? 0)
}

/**
 * Runs a tick or a rest, and again after each fault of the store's disk: a role that waits for an outcome writes nothing itself that would show it, and
 * there may be no block for which the next tick could wait.
 *
 * @returns any other failure; undefined for none.
 */
async function failureOf(
  work: () => Promise<void>,
  disk: StoreDisk | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  for (;;) {
    const failure = await work().catch(thrown => thrown ?? new Error('unknown'))
    if (failure === undefined || !disk?.isFault(failure)) return failure
    await disk.untilWritable(signal).catch(() => undefined) // only the node's stop ends it early
    if (signal.aborted) return undefined
  }
}

/** An outage of the chain, or an answer that cannot be decoded: a later one may be. A call of ours that cannot be encoded is a defect. */
function isOutage(failure: unknown): boolean {
  if (failure instanceof NodeError) return failure.retryable
  return failure instanceof BaseError && failure.walk(isOfArguments) === null
}

const OF_ARGUMENTS = [
  AbiEncodingArrayLengthMismatchError,
  AbiEncodingBytesSizeMismatchError,
  AbiEncodingLengthMismatchError,
  AbiFunctionNotFoundError,
  InvalidAbiEncodingTypeError,
  InvalidAddressError,
]

const isOfArguments = (error: unknown) => OF_ARGUMENTS.some(kind => error instanceof kind)

/** Callers that wait for the outcome of an entry. */
function createWaiting(store: OutboxModules['store']) {
  const waiting = new Map<string, ((outcome: TxOutcome) => void)[]>()
  let isStopped = false
  const known = (key: string): TxOutcome | null => {
    const entry = store.get(key)
    return entry === undefined ? null : outcomeOf(entry)
  }
  return {
    outcome(key: string): Promise<TxOutcome> {
      const outcome = known(key)
      if (outcome !== null) return Promise.resolve(outcome)
      if (isStopped) return Promise.resolve({ status: 'stopped' })
      return new Promise(resolve => waiting.set(key, [...(waiting.get(key) ?? []), resolve]))
    },
    /** Resolves finished entries. */
    notify(): void {
      for (const [key, resolvers] of waiting) {
        const outcome = known(key)
        if (outcome === null) continue
        waiting.delete(key)
        for (const resolve of resolvers) resolve(outcome)
      }
    },
    /** Resolves the others: this process will not continue them. */
    stop(): void {
      isStopped = true
      for (const resolvers of waiting.values()) for (const resolve of resolvers) resolve({ status: 'stopped' })
      waiting.clear()
    },
  }
}

/** Null while it is open. A mined transaction counts from its first block: the outbox follows it until it is deep. */
export function outcomeOf({ status, minedHash, minedBlock, detail }: OutboxEntry): TxOutcome | null {
  if (status === 'dropped') return { status, reason: detail ?? '' }
  if (status === 'reverted' || (status === 'mined' && detail !== null))
    return { status: 'reverted', error: detail ?? '', hash: minedHash }
  if ((status === 'mined' || status === 'confirmed') && minedHash !== null && minedBlock !== null)
    return { status: 'mined', hash: minedHash, block: minedBlock }
  return null
}
