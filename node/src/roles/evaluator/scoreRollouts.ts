import type { PeerScore, RolloutBundle } from '#core/payloads/payloads.ts'
import type { Judge } from '#environments/environment.ts'
import { type CheckedRollout, checkRollouts, type RoundRules } from '../draws/checkRollouts.ts'
import { sampledLeaves } from '../draws/drawCommittee.ts'
import { drawTasks } from '../draws/drawTasks.ts'
import { leavesToCheck, type SampledWork } from './checkSampling.ts'
import { scorePeer } from './scorePeer.ts'

/** A peer's score, provided that these leaves prove its sampling; null if an owed prompt is unknown here. */
type ScoredRollouts = { score: PeerScore; leaves: CheckedRollout[] | null }

/** Scores the leaves that the round's beacon draws, and draws those whose sampling decides whether the score counts. */
export async function scoreRollouts(
  judge: Judge,
  payload: RolloutBundle,
  rules: RoundRules,
  work: SampledWork,
): Promise<ScoredRollouts> {
  const groups = await checkRollouts(payload, rules)
  const sampled = sampledLeaves(work.chainId, work.round, work.beacon, work.peerKey, rules.spec)
  const score = await scorePeer(judge, work.peerKey, groups, sampled)
  const owed = drawTasks(work.chainId, work.round, work.peerKey, rules)
  const isKnown = owed.every(task => task.isUnknown !== true)
  return { score, leaves: isKnown ? leavesToCheck(work, groups, sampled) : null }
}
