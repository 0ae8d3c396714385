import { bigint, hex, index, onchainEnum, onchainTable, onchainView, primaryKey, sql } from 'ponder'
import { NO_SCORES, type ScoreLanes } from '../rules/weights.ts'

/** A registered peer and what it has earned. */
export const peer = onchainTable(
  'peer',
  t => ({
    /** keccak-256 of the base58 peer id; all other tables refer to peers by it. */
    peerKey: t.hex().primaryKey(),
    peerId: t.text().notNull(),
    /** Three words, a pure function of the peer id; kept so that a search by name is a query. */
    name: t.text().notNull(),
    account: t.hex().notNull(),
    /** Unix time of its registration, seconds. */
    registeredAtSec: t.int8({ mode: 'number' }).notNull(),
    /** First round in which its key counts. A move to another account does not change it. */
    countsFromRound: t.integer().notNull(),
    /** Times that it moved to another account. */
    moves: t.integer().notNull().default(0),
    /** Points settled so far, provisional ones included. */
    pointsMilli: t.bigint().notNull().default(0n),
    /** Nectar minted for it so far, wei. */
    claimedWei: t.bigint().notNull().default(0n),
    /** Rounds that it proposed tasks for. */
    roundsProposed: t.integer().notNull().default(0),
    /** Rounds that it committed rollouts in. */
    roundsSolved: t.integer().notNull().default(0),
    /** Rounds in which it has a result. */
    roundsSettled: t.integer().notNull().default(0),
    /** The last round that it took part in, null before the first. */
    lastActiveRound: t.integer(),
    /** Its scores in the last eight counted rounds, newest first, which limit the weight of the next one. */
    scoreLanes: t.jsonb().$type<ScoreLanes>().notNull().default(NO_SCORES),
  }),
  table => ({
    /** As `standing` ranks. */
    byRank: index().on(table.pointsMilli.desc(), table.registeredAtSec, table.peerKey),
    byPeerId: index().on(table.peerId),
    byName: index().on(table.name),
    byAccount: index().on(table.account),
  }),
)

/** An evaluator's latest seat. */
export const evaluator = onchainTable('evaluator', t => ({
  peerKey: t.hex().primaryKey(),
  fromRound: t.integer().notNull(),
  /** First round without the seat: a later one if the role gave it, which ends with bootstrap; null while it has a stake's. */
  untilRound: t.integer(),
  /** First round of the seat that the role gave it; null if it was given none, or lost it before bootstrap ended. */
  admittedFromRound: t.integer(),
  /** As `admittedFromRound`, for a staked seat. */
  stakedFromRound: t.integer(),
  /** Times that it sealed votes for a shard. */
  votesCommitted: t.integer().notNull().default(0),
  /** Times that it opened them. */
  votesRevealed: t.integer().notNull().default(0),
  /** Misses when last counted: 1 for a silence, 3 for a ballot that was not revealed. A later reveal clears them, without an event. */
  misses: t.integer().notNull().default(0),
  /** The round for which they were counted; null before the first. */
  missedRound: t.integer(),
}))

/** Every span of rounds in which a peer had a seat; seats given by the role end with bootstrap. */
export const evaluatorSeat = onchainTable(
  'evaluator_seat',
  t => ({
    peerKey: t.hex().notNull(),
    fromRound: t.integer().notNull(),
    /** First round without the seat, null while it sits. */
    untilRound: t.integer(),
  }),
  table => ({ pk: primaryKey({ columns: [table.peerKey, table.fromRound] }) }),
)

/** One row: first round whose seats and tasks need stakes. */
export const bootstrap = onchainTable('bootstrap', t => ({
  id: t.text().primaryKey(),
  /** The round. */
  rounds: t.integer().notNull(),
}))

export const duty = onchainEnum('duty', ['evaluator', 'proposer'])

/** A peer's stake for a duty, wei. */
export const stake = onchainTable(
  'stake',
  t => ({
    peerKey: t.hex().notNull(),
    /** The duty that the stake is for. */
    duty: duty().notNull(),
    /** Nectar staked now, wei. */
    amountWei: t.bigint().notNull(),
    /** Slashed so far: burnt, except for the part in `compensation`. */
    slashedWei: t.bigint().notNull().default(0n),
    /** First round in which it can be withdrawn, unless it is held for longer; null before notice. */
    freeFromRound: t.integer(),
  }),
  table => ({ pk: primaryKey({ columns: [table.peerKey, table.duty] }) }),
)

/** One slash. */
export const slashing = onchainTable(
  'slashing',
  t => ({
    /** Ponder's event id: sorts as the chain does. */
    id: t.text().primaryKey(),
    peerKey: t.hex().notNull(),
    /** The duty that the stake was for. */
    duty: duty().notNull(),
    /** Contract that slashed it. */
    slasher: t.hex().notNull(),
    /** Nectar lost, wei. */
    lostWei: t.bigint().notNull(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ byPeer: index().on(table.peerKey) }),
)

/** Half of a slash, sent at once to the account whose appeal was upheld. */
export const compensation = onchainTable(
  'compensation',
  t => ({
    /** Ponder's event id: sorts as the chain does. */
    id: t.text().primaryKey(),
    /** The account that appealed. */
    account: t.hex().notNull(),
    /** The peer that was slashed. */
    peerKey: t.hex().notNull(),
    /** The duty that the slashed peer had staked for. */
    duty: duty().notNull(),
    /** Nectar, wei. */
    amountWei: t.bigint().notNull(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ byAccount: index().on(table.account) }),
)

/** Compensation that appeals paid to each peer's account, wei. The chain stores it by account: each of its peers shows the same sum. */
export const peerCompensation = onchainView('peer_compensation', {
  peerKey: hex('peer_key').notNull(),
  account: hex('account').notNull(),
  /** Nectar, wei, of all slashes. */
  amountWei: bigint('amount_wei').notNull(),
}).as(sql`
  SELECT p.peer_key, p.account, SUM(c.amount_wei)::numeric(78) AS amount_wei
  FROM ${peer} p JOIN ${compensation} c ON c.account = p.account
  GROUP BY p.peer_key, p.account
`)
