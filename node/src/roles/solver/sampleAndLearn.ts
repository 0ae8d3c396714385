import type { CheckedGroup } from '../draws/checkRollouts.ts'
import type { LearnedRound } from './learning/roundLessons.ts'

type Round<Answered> = {
  /** Answers that are sampled and, where they can be paid, committed. */
  answering: Promise<Answered>
  /** Samples more of the policy that answered, once it did. */
  afterwards: () => Promise<void>
  /** Learns from the own groups as they come; none come where answering fails. */
  learn: (own: Promise<readonly CheckedGroup[]>) => Promise<LearnedRound>
  /** Whether something else samples, so that the policy may change meanwhile. */
  isApart: boolean
  /** Of the node. */
  signal: AbortSignal
}

/**
 * Samples and learns: at once where something else than the policy samples, else one after the other.
 *
 * At once, neither loses what the other did: it waits for both. What fails of the answers is thrown by `answered`, once what was learned is in
 * safety. After a stop nothing is to be kept of a round without answers: it is played again, by the policy as it was saved before.
 */
export async function sampleAndLearn<Answered extends { groups: readonly CheckedGroup[] }>({
  answering,
  afterwards,
  learn,
  isApart,
  signal,
}: Round<Answered>): Promise<{ learned: LearnedRound; answered: Promise<Answered> }> {
  const answered = answering.then(answers => afterwards().then(() => answers))
  if (!isApart) await answered
  const own = answering.then(
    ({ groups }) => groups,
    () => [],
  )
  const [learning, sampling] = await Promise.allSettled([learn(own), answered])
  if (sampling.status === 'rejected' && (signal.aborted || learning.status === 'rejected')) throw sampling.reason
  if (learning.status === 'rejected') throw learning.reason
  return { learned: learning.value, answered }
}
