import { inOrderOfArrival } from './inOrderOfArrival.ts'
import { createSteps } from './learningSteps.ts'
import type { LearnedRound, LearningModules, PeerLessons, RoundLessons } from './roundLessons.ts'

/**
 * Learns from a round's groups, own and taken, in the way that the environment's specification names.
 *
 * `updateForEachPeer`: updates on the own groups and one on each peer's, in the order in which they come. `mixed`: own and taken ones in one update,
 * once no more are waited for (SAPO, arXiv:2509.08721 section 3); where that fails, peer by peer, so that it is known whose fault it is. Of
 * the own groups, and in `mixed` of the taken ones, those with the most signal are learned from, where the specification says how many.
 * In `updateForEachPeer`, a peer that gave nothing to learn from costs no update: one more is made on the own groups.
 *
 * Own groups that are still sampled come later than others: then those are learned from meanwhile. Before the first own answers there is nothing
 * to compare others' with, and they wait. The same groups in the same order make the same policy.
 *
 * No groups fail the round. A peer whose groups do is put in quarantine.
 */
export async function learnRound(modules: LearningModules, lessons: RoundLessons): Promise<LearnedRound> {
  const learned: LearnedRound = { meanReward: 0, averageAtK: 0, families: {}, taken: 0, updates: 0, refused: {} }
  const steps = createSteps(modules, lessons, learned)
  const isMixed = lessons.spec.sharing.mode === 'mixed'
  const own = Promise.resolve(lessons.own)
  const others = modules.usual.now() === null ? after(own, lessons.others) : lessons.others
  const offered: PeerLessons[] = []
  for await (const arrival of inOrderOfArrival(own, others)) {
    if ('own' in arrival) {
      await steps.scoreOwn(arrival.own)
      if (!isMixed) await steps.learnOwn()
    } else {
      const theirs = await steps.scorePeer(arrival.other)
      if (isMixed) offered.push(theirs)
      else await steps.learnPeer(theirs)
    }
  }
  steps.noteTrust()
  await (isMixed ? steps.mix(offered) : steps.makeUp())
  steps.settle()
  return learned
}

async function* after<T>(due: Promise<unknown>, source: AsyncIterable<T>) {
  await due
  yield* source
}
