import type { EnvironmentSpec } from '#environments/codezero/environmentSpec.ts'
import type { CheckedGroup } from '../checkRollouts.ts'
import type { Learner, OwnMeans } from './learner.ts'

/**
 * Learns from a round's groups, own and taken, in the way that the environment's specification names.
 *
 * `updateForEachPeer`: one update on the own groups, then one on each peer's as they come. `mixed`: all of them in one
 * update, once no more are waited for (RL Swarm's way).
 *
 * @param others - groups of other peers, a list a peer.
 * @returns `taken`: groups of others that were trained on; the means are of the own answers.
 */
export async function learnRound(
  learner: Learner,
  mode: EnvironmentSpec['sharing']['mode'],
  own: readonly CheckedGroup[],
  others: AsyncIterable<readonly CheckedGroup[]>,
): Promise<OwnMeans & { taken: number }> {
  let taken = 0
  if (mode === 'mixed') {
    const groups = [...own]
    for await (const theirs of others) groups.push(...theirs)
    taken = groups.length - own.length
    return { ...(await learner.learn(groups, own.length)), taken }
  }
  const means = await learner.learn(own, own.length)
  for await (const theirs of others) {
    await learner.learn(theirs, 0)
    taken += theirs.length
  }
  return { ...means, taken }
}
