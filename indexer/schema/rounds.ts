import { hex, index, integer, onchainEnum, onchainTable, onchainView, primaryKey, sql, text } from 'ponder'
import type { Span } from '../rules/schedule.ts'
import { peer } from './peers.ts'

/** One row: the schedule and the environments as announced, from which every round's times are computed. */
export const clock = onchainTable('clock', t => ({
  id: t.text().primaryKey(),
  /** Announced spans of rounds with the same length. */
  schedule: t.jsonb().$type<Span[]>().notNull(),
  /** Hash of the environment, by the first round that it holds for. */
  environments: t.jsonb().$type<{ fromRound: number; hash: `0x${string}` }[]>().notNull(),
  /** Highest round that has a row. */
  latestRound: t.integer(),
  /** Newest settled round that was not an outage. */
  lastCounted: t.integer(),
}))

/** A round in which something happened, or for which tasks were proposed. */
export const round = onchainTable('round', t => ({
  /** Number of the round. */
  number: t.integer().primaryKey(),
  startsAtSec: t.int8({ mode: 'number' }).notNull(),
  endsAtSec: t.int8({ mode: 'number' }).notNull(),
  /** Chain time from which the round's points are final. */
  finalAtSec: t.int8({ mode: 'number' }).notNull(),
  /** Hash of the environment's specification. */
  environmentHash: t.hex().notNull(),
  /** Hash of the block that was fixed after the round's end; null until it is recorded, and forever if it never is. */
  beacon: t.hex(),
  /** Number of the beacon's block. */
  beaconBlock: t.integer(),
  /** Peers that proposed tasks, and committed rollouts; an amendment does not count again. */
  proposals: t.integer().notNull().default(0),
  /** Peers that committed rollouts. */
  rolloutCommitments: t.integer().notNull().default(0),
  /** Number of their tasks that count. */
  tasks: t.integer().notNull().default(0),
  /** Places of these tasks whose text cannot be read. */
  unreadableTasks: t.integer().notNull().default(0),
  /** Rollouts that they committed to, up to 65,536 of each. */
  rollouts: t.integer().notNull().default(0),
  /** Ballots that were sealed. */
  votesCommitted: t.integer().notNull().default(0),
  /** Ballots that were opened. */
  votesRevealed: t.integer().notNull().default(0),
  /** Peers that have a result. */
  settled: t.integer().notNull().default(0),
  /** Peers with a score. */
  scored: t.integer().notNull().default(0),
  /** Peers whose rollouts were unavailable to most of the committee. */
  unavailable: t.integer().notNull().default(0),
  /** Peers on whom too few voted. */
  noQuorum: t.integer().notNull().default(0),
  /** Peers whose round does not count. */
  void: t.integer().notNull().default(0),
  /** Peers that lost the round for a false leaf. */
  falseLeaf: t.integer().notNull().default(0),
  /** Peers that lost the round for a withheld leaf. */
  withheld: t.integer().notNull().default(0),
  /** Its number among counted rounds, from 1: settled rounds that were not outages. Null before settlement, and for outages. */
  countedNumber: t.integer(),
  /** Weight of its scores, in 32nds of a thousandth. */
  weight: t.int8({ mode: 'number' }).notNull().default(0),
  /** Weight that open appeals could still add. The round's emission is shared by both. */
  reservedWeight: t.int8({ mode: 'number' }).notNull().default(0),
  /** Mean weight of the counted rounds before it. If it is larger than both together, the emission is divided by it, and the rest is not minted. */
  meanWeight: t.int8({ mode: 'number' }).notNull().default(0),
  /** Over the peers that were scored. */
  scoreMilliSum: t.integer().notNull().default(0),
  /** Over the same peers; null while there are none. */
  meanScoreMilli: t.integer(),
}))

/** A proposer's tasks for a round, submitted in the round before. */
export const proposal = onchainTable(
  'proposal',
  t => ({
    round: t.integer().notNull(),
    peerKey: t.hex().notNull(),
    /** Revealed with the tasks, and committed to two rounds ahead. */
    secret: t.hex().notNull(),
    /** Places that draws choose from; some may hold no readable task. */
    count: t.integer().notNull(),
    /** Places without a text: the bytes are malformed, or contain fewer texts. */
    unreadable: t.integer().notNull(),
    /** Size of the tasks on the chain, compressed. */
    bytes: t.integer().notNull(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ pk: primaryKey({ columns: [table.round, table.peerKey] }), byPeer: index().on(table.peerKey) }),
)

/** A task of a proposal, as on the chain; the environment decides whether it counts. */
export const task = onchainTable(
  'task',
  t => ({
    round: t.integer().notNull(),
    peerKey: t.hex().notNull(),
    /** Its place in the proposal. */
    index: t.integer().notNull(),
    /** The `taskHash` of leaves that answer it. */
    taskHash: t.hex().notNull(),
    level: t.integer().notNull(),
    /** Problem and tests, as solvers read them. */
    text: t.text().notNull(),
  }),
  table => ({
    pk: primaryKey({ columns: [table.round, table.peerKey, table.index] }),
    byHash: index().on(table.taskHash),
  }),
)

/** A solver's commitment for a round. The latest counts; `amendments` is the number of earlier ones. */
export const rolloutCommitment = onchainTable(
  'rollout_commitment',
  t => ({
    round: t.integer().notNull(),
    peerKey: t.hex().notNull(),
    /** Place among the round's peers, by first commitment; 32 places are a shard. */
    ordinal: t.integer().notNull(),
    /** Merkle root over its leaves. */
    root: t.hex().notNull(),
    /** Number of rollouts that it commits to. */
    leafCount: t.integer().notNull(),
    /** Hash of the policy that sampled them. */
    policyHash: t.hex().notNull(),
    contentId: t.hex().notNull(),
    /** Number of earlier commitments that it replaces. */
    amendments: t.integer().notNull().default(0),
    /** Open demands and appeals against it: it earns nothing while there are any. */
    openChallenges: t.integer().notNull().default(0),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ pk: primaryKey({ columns: [table.round, table.peerKey] }), byPeer: index().on(table.peerKey) }),
)

/** A peer's place among those of a round, by first commitment: votes are cast by place. */
export const roundPlace = onchainTable(
  'round_place',
  t => ({ round: t.integer().notNull(), ordinal: t.integer().notNull(), peerKey: t.hex().notNull() }),
  table => ({ pk: primaryKey({ columns: [table.round, table.ordinal] }), byPeer: index().on(table.peerKey) }),
)

export const settlementOutcome = onchainEnum('settlement_outcome', [
  'scored',
  'unavailable',
  'noQuorum',
  'void',
  'falseLeaf',
  'withheld',
])

/**
 * A peer's result in a round: provisional until chain time reaches `finalAtSec`, and contested as long as a challenge is open. The view
 * `scoreStates` has its state.
 */
export const settlement = onchainTable(
  'settlement',
  t => ({
    round: t.integer().notNull(),
    peerKey: t.hex().notNull(),
    /** Its outcome. */
    outcome: settlementOutcome().notNull(),
    scoreMilli: t.integer().notNull(),
    /** Sum of the peer's scores in the seven counted rounds before, as of the settlement of this one. */
    beforeMilli: t.integer().notNull(),
    /** Weight of the score in the round's emission, in 32nds of a thousandth: at most five quarters of the mean of the last eight. */
    weight: t.integer().notNull(),
    /** Its earnings when a round twelve or more later overwrote it in the contract, wei, if a late ruling divided the round again: they no longer change. */
    keptWei: t.bigint(),
    /** Number of evaluators that voted on the peer. */
    votes: t.integer().notNull(),
    /** As in the peer's `rolloutCommitment`. */
    openChallenges: t.integer().notNull().default(0),
    /** Chain time from which it is final, if no challenge is open: a copy of the round's, for the index by peer. */
    finalAtSec: t.int8({ mode: 'number' }).notNull(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({
    pk: primaryKey({ columns: [table.round, table.peerKey] }),
    byPeer: index().on(table.peerKey, table.finalAtSec),
    contested: index().on(table.peerKey).where(sql`open_challenges > 0`),
  }),
)

/** Peers that committed in a round, by place, with their outcomes: one query instead of one for each of three tables. */
export const roundPeer = onchainView('round_peer', {
  round: integer('round').notNull(),
  /** Place among the round's peers. */
  ordinal: integer('ordinal').notNull(),
  peerKey: hex('peer_key').notNull(),
  peerId: text('peer_id'),
  name: text('name'),
  /** Number of rollouts that it committed to. */
  leafCount: integer('leaf_count').notNull(),
  /** Null until it is settled, as the score. */
  outcome: text('outcome'),
  scoreMilli: integer('score_milli'),
  /** Demands and appeals against it that are open. */
  openChallenges: integer('open_challenges').notNull(),
}).as(sql`
  SELECT
    c.round, c.ordinal, c.peer_key, p.peer_id, p.name, c.leaf_count,
    s.outcome::text AS outcome, s.score_milli, c.open_challenges
  FROM ${rolloutCommitment} c
    LEFT JOIN ${peer} p ON p.peer_key = c.peer_key
    LEFT JOIN ${settlement} s ON s.round = c.round AND s.peer_key = c.peer_key
`)
