import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import type { OutboxStore } from '#core/outboxStore.ts'
import type { OutboxRpc } from './outboxRpc.ts'

/** Newest block and the round that it is in, -1 before the first. */
export type Head = { block: number; round: number }

export type OutboxModules = {
  store: OutboxStore
  rpc: OutboxRpc
  head: () => Promise<Head>
  /** Resolves with a block that is not the one of number `after`; none before the chain's time `fromSec` is news. */
  nextHead: (signal: AbortSignal, news: { fromSec: number; after: number | null }) => Promise<unknown>
  clock: Clock
  logger: Logger
}

export type OutboxOptions = {
  /** Blocks, its own included, after which a transaction is final. A killed local chain loses one or two. */
  confirmations: number
  /** Blocks after which an unmined transaction is sent again as it is. */
  rebroadcastBlocks: number
  /** Blocks after which an unmined transaction is signed again with a higher fee. */
  stuckBlocks: number
  /** Simulations, in ticks of their own, that must all revert: the first may have met a server that lags. */
  simulations: number
  /** Transactions of one kind, each for another shard, that are on their way together. */
  atOnce: number
  /** Most that a unit of gas may cost, wei. */
  maxFeePerGasWei: bigint
  /** Finished entries kept for asking about. */
  keep: number
}

export const outboxDefaults: OutboxOptions = {
  confirmations: 5,
  rebroadcastBlocks: 2,
  stuckBlocks: 4,
  simulations: 2,
  // Pools of nodes take 16 transactions of an account without a question (geth's AccountSlots).
  atOnce: 16,
  // Ethereum's base fee was above it for some hours in all.
  maxFeePerGasWei: 500n * 10n ** 9n,
  keep: 500,
}
