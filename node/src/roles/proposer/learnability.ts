import type { RolloutGroup } from '#rl/groupStep.ts'
import type { CandidateGroup } from './candidates.ts'

/**
 * What a proposal is worth to solvers that learn from it: 0 where all of them solve it, or none, and 1 where half of their answers are right.
 *
 * @param solved - share of the answers that are right, 0 to 1.
 */
export const learnability = (solved: number): number => 4 * solved * (1 - solved)

/**
 * Rewards of what was proposed: the learnability of a task that was answered; 0 for what was refused; and nothing for a task that nobody was
 * scored on, or whose place did not count: that says nothing of it. Groups in which no task was answered teach only what is refused anyway,
 * and are left out.
 *
 * @param shares - how much of a task was solved, by its place.
 */
export function lessonsOf(groups: readonly CandidateGroup[], shares: ReadonlyMap<number, number>): RolloutGroup[] {
  return groups.flatMap(({ prompt, candidates }) => {
    const completions = candidates.flatMap(({ sampled: { tokens, logprobs, temperature }, place }) => {
      const solved = place === null ? 0 : shares.get(place)
      return solved === undefined ? [] : [{ tokens, logprobs, sampling: { temperature }, reward: learnability(solved) }]
    })
    const isAnswered = candidates.some(({ place }) => place !== null && shares.has(place))
    return isAnswered && completions.length > 1 ? [{ prompt, completions }] : []
  })
}
