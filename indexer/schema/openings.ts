import { index, onchainTable, primaryKey } from 'ponder'

/** A seat's opening of its committed score of a shard's drawn leaf. */
export const opening = onchainTable(
  'opening',
  t => ({
    round: t.integer().notNull(),
    shard: t.integer().notNull(),
    evaluatorKey: t.hex().notNull(),
    /** The seat's position on the shard's committee. */
    position: t.integer().notNull(),
    /** The drawn peer, and the leaf. */
    peerKey: t.hex().notNull(),
    /** Index of the drawn leaf. */
    index: t.integer().notNull(),
    scoreMilli: t.integer().notNull(),
    /** Nectar; null until the shard is closed, 0 if it does not agree. */
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
    /** Lower median of its opened scores; null if fewer than two seats opened it. */
    medianMilli: t.integer(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ pk: primaryKey({ columns: [table.round, table.shard] }) }),
)

/** A proposer's pay for the task that a shard's leaf answers. */
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

/** A withheld secret: its proposer committed to it, and proposed nothing for the round. */
export const withheldSecret = onchainTable(
  'withheld_secret',
  t => ({
    round: t.integer().notNull(),
    peerKey: t.hex().notNull(),
    /** Burnt from the proposer's stake; 0 if it had none, as in bootstrap. */
    lostWei: t.bigint().notNull(),
    /** Account that proved it. */
    challenger: t.hex().notNull(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ pk: primaryKey({ columns: [table.round, table.peerKey] }), byPeer: index().on(table.peerKey) }),
)
