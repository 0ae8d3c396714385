import type { PeerKey } from '#core/hashes.ts'
import type { PeerScore, RolloutBundle } from '#core/payloads/payloads.ts'
import type { AnswerScore, Judge } from '#environments/environment.ts'
import { type CheckedGroup, type CheckedRollout, checkRollouts, type RoundRules } from '../draws/checkRollouts.ts'
import { sampledLeaves } from '../draws/drawCommittee.ts'
import { drawTasks } from '../draws/drawTasks.ts'
import { leavesToCheck, type SampledWork } from './checkSampling.ts'

const milli = (share: number) => Math.round(share * 1000)

/** Scores of a group's rollouts by the public rule: no code is run, and no claimed score is used. */
export function scoreGroups(judge: Judge, groups: readonly CheckedGroup[]): Promise<AnswerScore[]> {
  const answers = groups.flatMap(({ task, rollouts }) =>
    rollouts.map(({ text, ended }) => ({ problem: task.problem, text, ended })),
  )
  return judge.score(answers)
}

/**
 * An evaluator's vote on a peer and the scores behind it. Sampled leaves that are missing, or that break the rule, count 0:
 * one cherry-picked leaf does not win. One that breaks the rule has that score too, without components: if the beacon draws it, seats open it.
 *
 * @param sampled - indices of the leaves that are scored, of those owed.
 * @param count - leaves that the peer committed.
 */
export async function scorePeer(
  judge: Judge,
  peerKey: PeerKey,
  groups: readonly CheckedGroup[],
  sampled: readonly number[],
  count: number,
): Promise<PeerScore> {
  const drawn = new Set(sampled)
  const scored = groups.map(({ task, rollouts }) => ({
    task,
    rollouts: rollouts.filter(({ index }) => drawn.has(index)),
  }))
  const scores = await scoreGroups(judge, scored)
  const indices = scored.flatMap(({ rollouts }) => rollouts.map(({ index }) => index))
  const sound = scores.map(({ components, score }, at) => ({
    index: indices[at] as number,
    components: Object.fromEntries(Object.entries(components).map(([name, value]) => [name, milli(value)])),
    scoreMilli: milli(score),
  }))
  const read = new Set(indices)
  const broken = sampled.filter(index => index < count && !read.has(index))
  const leaves = [...sound, ...broken.map(index => ({ index, components: {}, scoreMilli: 0 }))]
  leaves.sort((a, b) => a.index - b.index)
  const total = sound.reduce((sum, { scoreMilli }) => sum + scoreMilli, 0)
  return { peerKey, scoreMilli: Math.min(1000, Math.round(total / Math.max(1, sampled.length))), leaves }
}

/** A peer's score, provided that these leaves prove its sampling; null if an owed prompt is unknown here. */
type ScoredRollouts = { score: PeerScore; leaves: CheckedRollout[] | null }

/**
 * Scores the leaves that the round's beacon draws, and draws those whose sampling decides whether the score counts. The beacon draws from the leaves of
 * a whole round; where fewer tasks than that counted, the leaves that nobody could have are not scored.
 *
 * More leaves than the peer owes in the round are worth 0, whatever they hold: nobody asked for
 * them.
 */
export async function scoreRollouts(
  judge: Judge,
  payload: RolloutBundle,
  rules: RoundRules,
  work: SampledWork,
): Promise<ScoredRollouts> {
  const owed = drawTasks(work.chainId, work.round, work.peerKey, rules)
  const owedLeaves = owed.length * rules.spec.groupSize
  const count = payload.groups.reduce((sum, { rollouts }) => sum + rollouts.length, 0)
  if (count > owedLeaves) return { score: { peerKey: work.peerKey, scoreMilli: 0, leaves: [] }, leaves: [] }
  const groups = await checkRollouts(payload, rules)
  const sampled = sampledLeaves(work.chainId, work.round, work.beacon, work.peerKey, rules.spec).filter(
    index => index < owedLeaves,
  )
  const score = await scorePeer(judge, work.peerKey, groups, sampled, count)
  const isKnown = owed.every(task => task.isUnknown !== true)
  return { score, leaves: isKnown ? leavesToCheck(work, groups, sampled) : null }
}
