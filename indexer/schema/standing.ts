import { bigint, hex, integer, onchainView, sql, text } from 'ponder'
import { chainTimeSec } from './chainTime.ts'
import { compensation, peer } from './peers.ts'
import { settlement } from './rounds.ts'

/**
 * How sure a settled score is: `settled` until its round is final, `contested` while a demand or an appeal against it is open,
 * `final` after both. By the time of the last indexed block: no row has to change when a round becomes final.
 */
export const scoreState = onchainView('score_state', {
  round: integer('round').notNull(),
  peerKey: hex('peer_key').notNull(),
  outcome: text('outcome').notNull(),
  scoreMilli: integer('score_milli').notNull(),
  openChallenges: integer('open_challenges').notNull(),
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

/** The leaderboard. Points that may change still are set apart: `points = final + provisional + contested`. */
export const standing = onchainView('standing', {
  rank: integer('rank').notNull(),
  peerKey: hex('peer_key').notNull(),
  peerId: text('peer_id').notNull(),
  name: text('name').notNull(),
  account: hex('account').notNull(),
  pointsMilli: bigint('points_milli').notNull(),
  finalPointsMilli: bigint('final_points_milli').notNull(),
  /** Of rounds that are not final. */
  provisionalPointsMilli: bigint('provisional_points_milli').notNull(),
  /** Of rounds, final or not, in which a demand or an appeal is open. */
  contestedPointsMilli: bigint('contested_points_milli').notNull(),
  contestedRounds: integer('contested_rounds').notNull(),
  roundsProposed: integer('rounds_proposed').notNull(),
  roundsSolved: integer('rounds_solved').notNull(),
  roundsSettled: integer('rounds_settled').notNull(),
  lastActiveRound: integer('last_active_round'),
  /** Nectar that appeals brought its account, wei: each peer of an account has the same sum. */
  compensationWei: bigint('compensation_wei').notNull(),
}).as(sql`
  SELECT
    ROW_NUMBER() OVER (ORDER BY p.points_milli DESC, p.registered_at_sec, p.peer_key)::integer AS rank,
    p.peer_key, p.peer_id, p.name, p.account, p.points_milli,
    p.points_milli - COALESCE(s.provisional, 0) - COALESCE(s.contested, 0) AS final_points_milli,
    COALESCE(s.provisional, 0)::numeric(78) AS provisional_points_milli,
    COALESCE(s.contested, 0)::numeric(78) AS contested_points_milli,
    COALESCE(s.contested_rounds, 0)::integer AS contested_rounds,
    p.rounds_proposed, p.rounds_solved, p.rounds_settled, p.last_active_round,
    COALESCE(c.amount_wei, 0)::numeric(78) AS compensation_wei
  FROM ${peer} p
  LEFT JOIN (
    SELECT
      peer_key,
      SUM(score_milli) FILTER (WHERE open_challenges = 0) AS provisional,
      SUM(score_milli) FILTER (WHERE open_challenges > 0) AS contested,
      COUNT(*) FILTER (WHERE open_challenges > 0) AS contested_rounds
    FROM ${settlement} WHERE final_at_sec > ${chainTimeSec} OR open_challenges > 0
    GROUP BY peer_key
  ) s ON s.peer_key = p.peer_key
  LEFT JOIN (SELECT account, SUM(amount_wei) AS amount_wei FROM ${compensation} GROUP BY account) c ON c.account = p.account
`)
