import { EMISSION_WEI } from '@waggle/deployments/protocol'
import { bigint, hex, integer, onchainView, sql, text } from 'ponder'
import { chainTimeSec } from './chainTime.ts'
import { opening, taskPay } from './openings.ts'
import { peer } from './peers.ts'
import { round, settlement } from './rounds.ts'

const emissionWei = sql.raw(`${EMISSION_WEI}::numeric`)

/**
 * Earnings of each peer in each round, by source: derived from settled scores, openings and task pay alone, and rounded as the contracts
 * do. A score earns by its weight; a round that weighs less than those before emits less.
 */
const earningRows = sql`
  SELECT s.round, s.peer_key, 'score' AS source,
    COALESCE(s.kept_wei, DIV(${emissionWei} * s.weight, GREATEST(r.weight + r.reserved_weight, r.mean_weight))) AS amount_wei
  FROM ${settlement} s JOIN ${round} r ON r.number = s.round
  WHERE s.weight > 0 AND s.open_challenges = 0 AND s.final_at_sec <= ${chainTimeSec}
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

/** Nectar that a peer has earned in total, has claimed, and can claim now. */
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
    p.peer_key,
    p.peer_id,
    p.name,
    COALESCE(SUM(e.amount_wei) FILTER (WHERE e.source = 'score'), 0)::numeric(78) AS score_wei,
    COALESCE(SUM(e.amount_wei) FILTER (WHERE e.source = 'opening'), 0)::numeric(78) AS opening_wei,
    COALESCE(SUM(e.amount_wei) FILTER (WHERE e.source = 'task'), 0)::numeric(78) AS task_wei,
    COALESCE(SUM(e.amount_wei), 0)::numeric(78) AS earned_wei,
    p.claimed_wei,
    (COALESCE(SUM(e.amount_wei), 0) - p.claimed_wei)::numeric(78) AS claimable_wei
  FROM ${peer} p LEFT JOIN (${earningRows}) e ON e.peer_key = p.peer_key
  GROUP BY p.peer_key, p.peer_id, p.name, p.claimed_wei
`)
