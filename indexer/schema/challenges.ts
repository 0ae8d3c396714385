import { index, onchainEnum, onchainTable, primaryKey } from 'ponder'

export const demandState = onchainEnum('demand_state', ['open', 'shown', 'withheld'])

/** A demand for a sampled leaf that was unavailable, to be published on the chain. */
export const leafDemand = onchainTable(
  'leaf_demand',
  t => ({
    round: t.integer().notNull(),
    peerKey: t.hex().notNull(),
    /** The leaf's place among the peer's. */
    index: t.integer().notNull(),
    /** Whether it can still be published, was published, or was not published in time. */
    state: demandState().notNull().default('open'),
    /** Account that demanded it. */
    challenger: t.hex().notNull(),
    /** The challenger's bond, wei of the chain's coin. */
    bondWei: t.bigint().notNull(),
    /** Last round in which it can be published. */
    throughRound: t.integer().notNull(),
    /** Account that published it. */
    responder: t.hex(),
    /** The responder's pay from the bond. */
    paidWei: t.bigint(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({
    pk: primaryKey({ columns: [table.round, table.peerKey, table.index] }),
    byPeer: index().on(table.peerKey),
  }),
)

/** A settled score that was appealed, with all its appeals. */
export const appealCase = onchainTable(
  'appeal_case',
  t => ({
    round: t.integer().notNull(),
    peerKey: t.hex().notNull(),
    /** The score that was settled, in thousandths. */
    settledMilli: t.integer().notNull(),
    /** Whether no appeal of it is open. */
    isClosed: t.boolean().notNull().default(false),
    /** Whether the peer lost the round for another reason meanwhile. */
    isMoot: t.boolean().notNull().default(false),
    /** The final score, once the case is closed. */
    finalMilli: t.integer(),
  }),
  table => ({ pk: primaryKey({ columns: [table.round, table.peerKey] }), byPeer: index().on(table.peerKey) }),
)

/** One appeal of a case. */
export const appeal = onchainTable(
  'appeal',
  t => ({
    round: t.integer().notNull(),
    peerKey: t.hex().notNull(),
    level: t.integer().notNull(),
    /** Account that appealed. */
    appellant: t.hex().notNull(),
    /** Its bond, wei of the chain's coin. */
    bondWei: t.bigint().notNull(),
    /** Seats that judge. */
    drawn: t.integer().notNull(),
    /** Verdicts that they opened, as on the chain: 65535 for `unavailable`. */
    openedMilli: t.integer().array().notNull(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({
    pk: primaryKey({ columns: [table.round, table.peerKey, table.level] }),
    byPeer: index().on(table.peerKey),
  }),
)

export const seatFault = onchainEnum('seat_fault', ['sealed', 'overturned'])

/** A seat's part in an appeal; level 0 is the overturned committee. */
export const appealVerdict = onchainTable(
  'appeal_verdict',
  t => ({
    round: t.integer().notNull(),
    peerKey: t.hex().notNull(),
    level: t.integer().notNull(),
    seatKey: t.hex().notNull(),
    /** Its place among the seats drawn; null of the committee. */
    position: t.integer(),
    /** Whether the seat opened its verdict. */
    isRevealed: t.boolean().notNull().default(false),
    /** Null while it is sealed, and if it is `unavailable`. */
    scoreMilli: t.integer(),
    /** The seat's pay, wei of the chain's coin. */
    paidWei: t.bigint().notNull().default(0n),
    /** The fault that it was slashed for. */
    fault: seatFault(),
  }),
  table => ({
    pk: primaryKey({ columns: [table.round, table.peerKey, table.level, table.seatKey] }),
    bySeat: index().on(table.seatKey),
  }),
)
