import { index, onchainEnum, onchainTable, primaryKey } from 'ponder'

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

/** `void`: its proposer's tasks of the round were shown to be at fault before it was paid. */
export const taskPayState = onchainEnum('task_pay_state', ['claimed', 'paid', 'void'])

/** The claim on the pay for the task that a shard's leaf answers: that of the earliest commitment to it. */
export const taskPay = onchainTable(
  'task_pay',
  t => ({
    round: t.integer().notNull(),
    shard: t.integer().notNull(),
    proposerKey: t.hex().notNull(),
    taskHash: t.hex().notNull(),
    amountWei: t.bigint().notNull(),
    state: taskPayState().notNull().default('claimed'),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ pk: primaryKey({ columns: [table.round, table.shard] }), byProposer: index().on(table.proposerKey) }),
)

/** Tasks of a round that were shown to be at fault: one in two places, two in one, or one beyond their number. They earn nothing. */
export const tasksFault = onchainTable(
  'tasks_fault',
  t => ({
    round: t.integer().notNull(),
    peerKey: t.hex().notNull(),
    taskHash: t.hex().notNull(),
    /** Burnt of the proposer's stake; 0 where it had none, as in bootstrap. */
    lostWei: t.bigint().notNull(),
    challenger: t.hex().notNull(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ pk: primaryKey({ columns: [table.round, table.peerKey] }), byPeer: index().on(table.peerKey) }),
)
