import { bigint, hex, int8, integer, onchainView, sql, text } from 'ponder'
import { chainTimeSec } from './chainTime.ts'
import { compensation, peer } from './peers.ts'
import { settlement } from './rounds.ts'

/**
 * State of a settled score: `settled` until its round is final, `contested` while a demand or an appeal against it is open, `final` after
 * both. Computed from the time of the last indexed block, so that no row changes when a round becomes final.
 */
export const scoreState = onchainView('score_state', {
  round: integer('round').notNull(),
  peerKey: hex('peer_key').notNull(),
  /** As in its settlement. */
  outcome: text('outcome').notNull(),
  scoreMilli: integer('score_milli').notNull(),
  /** Demands and appeals against it that are open. */
  openChallenges: integer('open_challenges').notNull(),
  /** `settled`, `contested` or `final`. */
  state: text('state').notNull(),
}).as(sql`
  SELECT
    round, peer_key, outcome::text AS outcome, score_milli, open_challenges,
    CASE
      WHEN open_challenges > 0 THEN 'contested'
      WHEN final_at_sec > ${chainTimeSec} THEN 'settled'
      ELSE 'final'
    END AS state
  FROM ${settlement}
`)

/** Points of a peer `p` that may still change. Computed for the rows of an answer only, by indexes on the peer's own settlements. */
const unsure = sql`
  LEFT JOIN LATERAL (
    SELECT
      COALESCE(SUM(score_milli) FILTER (WHERE open_challenges = 0), 0)::numeric(78) AS provisional,
      COALESCE(SUM(score_milli) FILTER (WHERE open_challenges > 0), 0)::numeric(78) AS contested,
      COUNT(*) FILTER (WHERE open_challenges > 0)::integer AS contested_rounds
    FROM ${settlement}
    WHERE peer_key = p.peer_key AND (final_at_sec > ${chainTimeSec} OR open_challenges > 0)
  ) s ON TRUE
`

const points = sql`
  p.points_milli - s.provisional - s.contested AS final_points_milli, s.provisional AS provisional_points_milli,
  s.contested AS contested_points_milli, s.contested_rounds
`

/** A peer's points by state: `points = final + provisional + contested`. */
const pointColumns = () => ({
  /** Points of final rounds, in thousandths. */
  finalPointsMilli: bigint('final_points_milli').notNull(),
  /** Points of rounds that are not final. */
  provisionalPointsMilli: bigint('provisional_points_milli').notNull(),
  /** Points of rounds, final or not, in which a demand or an appeal is open. */
  contestedPointsMilli: bigint('contested_points_milli').notNull(),
  /** Number of those rounds. */
  contestedRounds: integer('contested_rounds').notNull(),
})

const compensationColumn = () => ({
  /** Compensation that appeals paid to its account, wei: each peer of an account has the same sum. */
  compensationWei: bigint('compensation_wei').notNull(),
})

const compensated = sql`
  (SELECT COALESCE(SUM(c.amount_wei), 0) FROM ${compensation} c WHERE c.account = p.account)::numeric(78) AS compensation_wei
`

/** The leaderboard. Postgres reads it in the order of `peer.byRank`, up to the last requested rank (`rank_lte`). */
export const standing = onchainView('standing', {
  /** Its place on the leaderboard, from 1. */
  rank: int8('rank', { mode: 'number' }).notNull(),
  peerKey: hex('peer_key').notNull(),
  peerId: text('peer_id').notNull(),
  name: text('name').notNull(),
  account: hex('account').notNull(),
  /** All its points, in thousandths. */
  pointsMilli: bigint('points_milli').notNull(),
  ...pointColumns(),
  /** Rounds that it proposed tasks for. */
  roundsProposed: integer('rounds_proposed').notNull(),
  /** Rounds that it committed rollouts in. */
  roundsSolved: integer('rounds_solved').notNull(),
  /** Rounds in which it has a result. */
  roundsSettled: integer('rounds_settled').notNull(),
  /** The last round that it took part in. */
  lastActiveRound: integer('last_active_round'),
  ...compensationColumn(),
}).as(sql`
  SELECT
    p.rank, p.peer_key, p.peer_id, p.name, p.account, p.points_milli, ${points},
    p.rounds_proposed, p.rounds_solved, p.rounds_settled, p.last_active_round,
    ${compensated}
  FROM (
    SELECT *, ROW_NUMBER() OVER (ORDER BY points_milli DESC NULLS LAST, registered_at_sec, peer_key) AS rank FROM ${peer}
  ) p ${unsure}
`)

/** Rank and points of single peers: counts the peers ahead, so that a filter by key does not rank everybody. */
export const peerStanding = onchainView('peer_standing', {
  peerKey: hex('peer_key').notNull(),
  /** Its place on the leaderboard, from 1. */
  rank: int8('rank', { mode: 'number' }).notNull(),
  ...pointColumns(),
  ...compensationColumn(),
}).as(sql`
  SELECT
    p.peer_key,
    1 + (
      SELECT COUNT(*) FROM ${peer} better
      WHERE better.points_milli >= p.points_milli AND (
        better.points_milli > p.points_milli
        OR (better.registered_at_sec, better.peer_key) < (p.registered_at_sec, p.peer_key)
      )
    ) AS rank,
    ${points}, ${compensated}
  FROM ${peer} p ${unsure}
`)
