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
    /** Number of the leaf that was drawn. */
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
    /** Number of the leaf. */
    index: t.integer().notNull(),
    /** Lower median of its opened scores; null where too few opened one leaf. */
    medianMilli: t.integer(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ pk: primaryKey({ columns: [table.round, table.shard] }) }),
)

/** What a proposer was paid for the task that a shard's leaf answers. */
export const taskPay = onchainTable(
  'task_pay',
  t => ({
    round: t.integer().notNull(),
    shard: t.integer().notNull(),
    proposerKey: t.hex().notNull(),
    /** The task's place in its proposal. */
    taskIndex: t.integer().notNull(),
    /** Nectar, wei. */
    amountWei: t.bigint().notNull(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ pk: primaryKey({ columns: [table.round, table.shard] }), byProposer: index().on(table.proposerKey) }),
)

/** A secret that its proposer committed to and did not show: it proposed nothing for the round. */
export const withheldSecret = onchainTable(
  'withheld_secret',
  t => ({
    round: t.integer().notNull(),
    peerKey: t.hex().notNull(),
    /** Burnt of the proposer's stake; 0 where it had none, as in bootstrap. */
    lostWei: t.bigint().notNull(),
    /** Account that showed it. */
    challenger: t.hex().notNull(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ pk: primaryKey({ columns: [table.round, table.peerKey] }), byPeer: index().on(table.peerKey) }),
)
