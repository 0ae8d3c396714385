import type { PeerKey } from '#core/hashes.ts'
import type { PeerScore } from '#core/payloads/payloads.ts'
import type { AnswerScore, Judge } from '#environments/environment.ts'
import type { CheckedGroup } from '../draws/checkRollouts.ts'

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
 * one cherry-picked leaf does not win.
 *
 * @param sampled - indices of the leaves that are scored, of those owed.
 */
export async function scorePeer(
  judge: Judge,
  peerKey: PeerKey,
  groups: readonly CheckedGroup[],
  sampled: readonly number[],
): Promise<PeerScore> {
  const drawn = new Set(sampled)
  const scored = groups.map(({ task, rollouts }) => ({
    task,
    rollouts: rollouts.filter(({ index }) => drawn.has(index)),
  }))
  const scores = await scoreGroups(judge, scored)
  const indices = scored.flatMap(({ rollouts }) => rollouts.map(({ index }) => index))
  const leaves = scores.map(({ components, score }, at) => ({
    index: indices[at] as number,
    components: Object.fromEntries(Object.entries(components).map(([name, value]) => [name, milli(value)])),
    scoreMilli: milli(score),
  }))
  const total = leaves.reduce((sum, { scoreMilli }) => sum + scoreMilli, 0)
  return { peerKey, scoreMilli: Math.min(1000, Math.round(total / sampled.length)), leaves }
}
