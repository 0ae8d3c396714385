import { EMISSION_WEI } from '@waggle/deployments/protocol'
import { bigint, hex, integer, onchainView, sql, text } from 'ponder'
import { chainTimeSec } from './chainTime.ts'
import { opening, taskPay } from './openings.ts'
import { peer } from './peers.ts'
import { round, settlement } from './rounds.ts'

const emissionWei = sql.raw(`${EMISSION_WEI}::numeric`)

/** Earnings by a settlement `s` in a round `r`, if it earns. */
const scoreWei = sql`COALESCE(s.kept_wei, DIV(${emissionWei} * s.weight, GREATEST(r.weight + r.reserved_weight, r.mean_weight)))`
const isEarned = sql`s.weight > 0 AND s.open_challenges = 0 AND s.final_at_sec <= ${chainTimeSec}`

/**
 * Earnings of each peer in each round, by source: derived from settled scores, openings and task pay alone, and rounded as the contracts
 * do. A score earns by its weight; a round that weighs less than those before emits less.
 */
const earningRows = sql`
  SELECT s.round, s.peer_key, 'score' AS source, ${scoreWei} AS amount_wei
  FROM ${settlement} s JOIN ${round} r ON r.number = s.round
  WHERE ${isEarned}
  UNION ALL
  SELECT round, evaluator_key, 'opening', SUM(paid_wei) FROM ${opening} WHERE paid_wei > 0 GROUP BY round, evaluator_key
  UNION ALL
  SELECT round, proposer_key, 'task', SUM(amount_wei) FROM ${taskPay} GROUP BY round, proposer_key
`

/** Nectar that a peer earned in a round: by its `score`, by an `opening` as evaluator, or by a `task` as proposer. */
export const earning = onchainView('earning', {
  round: integer('round').notNull(),
  peerKey: hex('peer_key').notNull(),
  /** `score`, `opening` or `task`. */
  source: text('source').notNull(),
  /** Nectar, wei. */
  amountWei: bigint('amount_wei').notNull(),
}).as(sql`SELECT round, peer_key, source, amount_wei::numeric(78) AS amount_wei FROM (${earningRows}) earned`)

/**
 * Nectar that a peer has earned in total, has claimed, and can claim now. Computed for the rows of an answer only, by indexes on the
 * peer's own settlements, openings and pay.
 */
export const purse = onchainView('purse', {
  peerKey: hex('peer_key').notNull(),
  peerId: text('peer_id').notNull(),
  name: text('name').notNull(),
  /** Nectar earned by scores, wei. */
  scoreWei: bigint('score_wei').notNull(),
  /** Nectar earned by openings, wei. */
  openingWei: bigint('opening_wei').notNull(),
  /** Nectar earned by tasks, wei. */
  taskWei: bigint('task_wei').notNull(),
  /** Total earned, wei. */
  earnedWei: bigint('earned_wei').notNull(),
  /** Minted so far, wei. */
  claimedWei: bigint('claimed_wei').notNull(),
  /** Can be minted now, wei. */
  claimableWei: bigint('claimable_wei').notNull(),
}).as(sql`
  SELECT
    p.peer_key, p.peer_id, p.name, own.score_wei::numeric(78) AS score_wei, own.opening_wei::numeric(78) AS opening_wei,
    own.task_wei::numeric(78) AS task_wei, (own.score_wei + own.opening_wei + own.task_wei)::numeric(78) AS earned_wei,
    p.claimed_wei, (own.score_wei + own.opening_wei + own.task_wei - p.claimed_wei)::numeric(78) AS claimable_wei
  FROM ${peer} p LEFT JOIN LATERAL (
    SELECT
      COALESCE(SUM(${scoreWei}), 0) AS score_wei,
      (SELECT COALESCE(SUM(paid_wei), 0) FROM ${opening} WHERE evaluator_key = p.peer_key) AS opening_wei,
      (SELECT COALESCE(SUM(amount_wei), 0) FROM ${taskPay} WHERE proposer_key = p.peer_key) AS task_wei
    FROM ${settlement} s JOIN ${round} r ON r.number = s.round
    WHERE s.peer_key = p.peer_key AND ${isEarned}
  ) own ON TRUE
`)
