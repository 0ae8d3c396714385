import * as protocol from '@waggle/deployments/protocol'
import { hex, index, int8, integer, onchainTable, onchainView, primaryKey, sql } from 'ponder'
import { roundPlace } from './rounds.ts'

/** A vote of an evaluator that could not get the peer's bundle. */
const UNAVAILABLE = sql.raw(String(protocol.UNAVAILABLE))

/** Peers of a shard, at most, by the contract. */
export const { SHARD_PEERS } = protocol

/** An evaluator's sealed votes for a shard of a round, and the votes once they are revealed. */
export const voteCommit = onchainTable(
  'vote_commit',
  t => ({
    round: t.integer().notNull(),
    evaluatorKey: t.hex().notNull(),
    /** Peers 32 * shard on, in the order in which they committed. */
    shard: t.integer().notNull(),
    /** Hash of its votes and a salt. */
    commitment: t.hex().notNull(),
    committedAtSec: t.int8({ mode: 'number' }).notNull(),
    /** Unix time at which it was opened, seconds; null while sealed. */
    revealedAtSec: t.int8({ mode: 'number' }),
    /** Content id of the score sheet, known once revealed. */
    contentId: t.hex(),
    /** By place in the shard, as on the chain: 65535 for `unavailable`. Null until revealed. */
    scoresMilli: t.integer().array(),
    /** Merkle root over the score components of each peer, by place in the shard. Null until revealed. */
    componentRoots: t.hex().array(),
  }),
  table => ({
    pk: primaryKey({ columns: [table.round, table.evaluatorKey, table.shard] }),
    byEvaluator: index().on(table.evaluatorKey),
    byShard: index().on(table.round, table.shard),
  }),
)

const size = sql.raw(String(SHARD_PEERS))

/** One evaluator's revealed vote on one peer; `scoreMilli` is null if it voted `unavailable`. The shard is stored in addition to the place, since each has an index. */
export const vote = onchainView('vote', {
  round: integer('round').notNull(),
  evaluatorKey: hex('evaluator_key').notNull(),
  peerKey: hex('peer_key').notNull(),
  shard: integer('shard').notNull(),
  scoreMilli: integer('score_milli'),
  /** Merkle root over the components of the score. */
  componentRoot: hex('component_root').notNull(),
  contentId: hex('content_id').notNull(),
  atSec: int8('at_sec', { mode: 'number' }).notNull(),
}).as(sql`
  SELECT
    p.round, c.evaluator_key, p.peer_key, c.shard,
    NULLIF(c.scores_milli[p.ordinal % ${size} + 1], ${UNAVAILABLE}) AS score_milli,
    c.component_roots[p.ordinal % ${size} + 1] AS component_root,
    c.content_id, c.revealed_at_sec AS at_sec
  FROM ${roundPlace} p JOIN ${voteCommit} c ON c.round = p.round AND c.shard = p.ordinal / ${size}
    AND p.ordinal >= c.shard * ${size} AND p.ordinal < (c.shard + 1) * ${size}
  WHERE c.revealed_at_sec IS NOT NULL
`)
