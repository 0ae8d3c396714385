import { index, onchainTable, primaryKey } from 'ponder'

/** A seat's opening of the score that it had committed to for the leaf that was drawn of a shard. */
export const opening = onchainTable(
  'opening',
  t => ({
    round: t.integer().notNull(),
    shard: t.integer().notNull(),
    evaluatorKey: t.hex().notNull(),
    /** The seat's position on the shard's committee. */
    position: t.integer().notNull(),
    /** The peer that was drawn, and the leaf. */
    peerKey: t.hex().notNull(),
    index: t.integer().notNull(),
    scoreMilli: t.integer().notNull(),
    /** Nectar; null until the shard is closed, 0 where it does not agree. */
    paidWei: t.bigint(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({
    pk: primaryKey({ columns: [table.round, table.shard, table.position] }),
    byEvaluator: index().on(table.evaluatorKey),
  }),
)

/** The leaf on which the openings of a shard agree, once they are closed. */
export const agreedLeaf = onchainTable(
  'agreed_leaf',
  t => ({
    round: t.integer().notNull(),
    shard: t.integer().notNull(),
    index: t.integer().notNull(),
    /** Lower median of its opened scores; null where too few opened one leaf. */
    medianMilli: t.integer(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ pk: primaryKey({ columns: [table.round, table.shard] }) }),
)

/** The claim on the pay for the task that a shard's leaf answers: that of the earliest commitment to it. */
export const taskPay = onchainTable(
  'task_pay',
  t => ({
    round: t.integer().notNull(),
    shard: t.integer().notNull(),
    proposerKey: t.hex().notNull(),
    taskHash: t.hex().notNull(),
    amountWei: t.bigint().notNull(),
    isPaid: t.boolean().notNull().default(false),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ pk: primaryKey({ columns: [table.round, table.shard] }), byProposer: index().on(table.proposerKey) }),
)
