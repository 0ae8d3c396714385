import type { PeerKey } from '#core/hashes.ts'
import type { CheckedGroup } from '../draws/checkRollouts.ts'

/** A group with the rewards of its answers by the solver's own copy of the judge, one per answer. */
export type ScoredGroup = CheckedGroup & {
  /** Composite scores. */
  rewards: readonly number[]
  /** Predicted. */
  correctness: readonly number[]
  /** Family of its task, if the environment has families. */
  family?: string | undefined
  /** Dataset of its task, if the solver was given datasets. */
  dataset?: string | undefined
  /** The peer that sampled it, if it is another one. */
  peerKey?: PeerKey
}

/**
 * Whether a group of another peer has an answer that is right, or that earns as much as own answers on average. Otherwise its peer could teach any
 * answer by putting it next to worse ones.
 *
 * @param ownReward - mean reward of the own answers.
 */
export const isWorthy = ({ rewards, correctness }: Pick<ScoredGroup, 'rewards' | 'correctness'>, ownReward: number) =>
  rewards.some((reward, i) => reward >= ownReward || (correctness[i] as number) > 0.5)

/** The learning signal of a group: the standard deviation of its rewards, over answers - 1. If it is zero, so are all advantages. */
function signalOf(rewards: readonly number[]): number {
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length
  const squares = rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0)
  return rewards.length < 2 ? 0 : Math.sqrt(squares / (rewards.length - 1))
}

/** Number of groups whose rewards deviate by at least so much, so that they have a gradient. */
export const countDiffering = (groups: readonly ScoredGroup[], minDeviation: number): number =>
  groups.filter(({ rewards }) => signalOf(rewards) >= minDeviation).length

/**
 * The groups with the most signal, in the order in which they were given.
 *
 * @param count - maximum of groups; null for all.
 * @param weightOf - factor for the signal of a group, such as the trust in its peer.
 */
export function mostSignal<Group extends ScoredGroup>(
  groups: readonly Group[],
  count: number | null,
  weightOf: (group: Group) => number = () => 1,
): readonly Group[] {
  if (count === null || groups.length <= count) return groups
  const weighed = groups.map(group => ({ group, weight: signalOf(group.rewards) * weightOf(group) }))
  const best = new Set(weighed.toSorted((a, b) => b.weight - a.weight).slice(0, count))
  return weighed.filter(entry => best.has(entry)).map(({ group }) => group)
}

/**
 * {@link mostSignal} of other peers' groups. If there are several peers, one contributes at most half: otherwise trust would give every place to a
 * peer that has answered well so far.
 *
 * @param trustOf - factor from 0 to 1 for the signal of a peer's groups.
 */
export function mostSignalOfPeers<Group extends ScoredGroup & { peerKey: PeerKey }>(
  groups: readonly Group[],
  count: number | null,
  trustOf: (peerKey: PeerKey) => number,
): readonly Group[] {
  if (count === null) return groups
  const peers = Map.groupBy(groups, ({ peerKey }) => peerKey)
  const most = peers.size > 1 ? Math.ceil(count / 2) : count
  const bounded = [...peers.values()].flatMap(ofPeer => mostSignal(ofPeer, most))
  return mostSignal(bounded, count, ({ peerKey }) => trustOf(peerKey))
}

/**
 * A group with only the answers whose rewards are farthest apart, as many from the top as from the bottom. Except for the equal shares, this is the
 * choice with the largest variance (arXiv:2504.13818 section 3.2). The answers keep their order.
 *
 * @param count - maximum of answers; null for all.
 */
export function farthestAnswers(group: ScoredGroup, count: number | null): ScoredGroup {
  const { rollouts, rewards } = group
  if (count === null || rollouts.length <= count) return group
  const order = rewards.map((_, i) => i).toSorted((a, b) => (rewards[b] as number) - (rewards[a] as number))
  const top = Math.ceil(count / 2)
  const kept = new Set([...order.slice(0, top), ...order.slice(order.length - (count - top))])
  const isKept = (_: unknown, i: number) => kept.has(i)
  return { ...group, rollouts: rollouts.filter(isKept), rewards: rewards.filter(isKept) }
}
