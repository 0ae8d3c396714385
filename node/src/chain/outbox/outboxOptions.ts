import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import type { OutboxIntent, OutboxStore } from '#core/outboxStore.ts'
import { defaultFeeLimits, type FeeLimits } from './feeSettings.ts'
import type { OutboxRpc } from './outboxRpc.ts'

/** Newest block, the round that it is in, -1 before the first, and that round's end. */
export type Head = { block: number; round: number; endsAtSec?: number }

/**
 * Time without another block after which the same one counts again: more than a poll of any chain. It takes two of them, since one may be a jump of
 * the clock, as after a suspension.
 */
export const ALONE_MS = 15_000
export const ALONE_TIMES = 2

/** Whether the last round of an entry is before that of a head. */
export const hasPassed = ({ throughRound }: OutboxIntent, { round }: Head) => (throughRound ?? round) < round

export type StoreDisk = {
  /** Whether the error is the disk's. */
  isFault(error: unknown): boolean
  /** Resolves once the disk can be written, and says so if that takes time. */
  untilWritable(signal: AbortSignal): Promise<void>
}

export type OutboxModules = {
  store: OutboxStore
  /** Of the store. Without it, a full disk is an outage like any other, and any other fault of the disk ends the outbox. */
  disk?: StoreDisk
  rpc: OutboxRpc
  head: () => Promise<Head>
  /** Resolves with a block other than number `after`; blocks before the chain's time `fromSec` do not count. */
  nextHead: (signal: AbortSignal, news: { fromSec: number; after: number | null }) => Promise<unknown>
  clock: Clock
  logger: Logger
}

export type OutboxOptions = FeeLimits & {
  /** Blocks, its own included, after which a transaction is final. A killed local chain loses one or two. */
  confirmations: number
  /** Blocks after which an unmined transaction is sent again as it is. */
  rebroadcastBlocks: number
  /** Blocks after which an unmined transaction is signed again with a higher fee. */
  stuckBlocks: number
  /** Simulations in separate ticks that must all revert with the same error: a lagging server may cause the first revert. */
  simulations: number
  /** Most pending transactions of one kind, each for a different shard or leaf. */
  atOnce: number
  /** Longest outage that is waited out: a peer waits for ever, a command does not. */
  outageMs: number
  /** Finished entries kept for queries. */
  keep: number
}

export const outboxDefaults: OutboxOptions = {
  confirmations: 5,
  rebroadcastBlocks: 2,
  stuckBlocks: 4,
  simulations: 2,
  // Pools of nodes take 16 transactions of an account without a question (geth's AccountSlots).
  atOnce: 16,
  ...defaultFeeLimits,
  outageMs: Number.POSITIVE_INFINITY,
  keep: 500,
}
