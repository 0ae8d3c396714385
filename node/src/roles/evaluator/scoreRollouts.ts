import type { PeerScore, RolloutBundle } from '#core/bodies.ts'
import type { Judge } from '#environments/environment.ts'
import { type CheckedRollout, checkRollouts, type RoundRules } from '../checkRollouts.ts'
import { leavesToCheck, type SampledWork } from './checkSampling.ts'
import { sampledLeaves } from './sampledLeaves.ts'
import { scorePeer } from './scorePeer.ts'

/** What a peer's rollouts come to, if their sampling is proven by these leaves. */
export type ScoredRollouts = { score: PeerScore; leaves: CheckedRollout[] }

/** Scores the leaves that the round's beacon draws, and draws those whose sampling decides whether the score counts. */
export async function scoreRollouts(
  judge: Judge,
  body: RolloutBundle,
  rules: RoundRules,
  work: SampledWork,
): Promise<ScoredRollouts> {
  const groups = await checkRollouts(body, rules)
  const sampled = sampledLeaves(work.chainId, work.round, work.beacon, work.peerKey, rules.spec)
  const score = await scorePeer(judge, work.peerKey, groups, sampled)
  return { score, leaves: leavesToCheck(work, groups, sampled) }
}
