import { faultOfClaims } from './checkClaims.ts'
import type { LearningModules, PeerGroups } from './learnRound.ts'

/**
 * Scores groups of others as they come: that takes the judge alone, and changes neither the policy nor what is learned, nor in which order.
 * Those whose claims are impossible, which nothing is learned from, are not scored. A judge that fails is asked again when they are learned from.
 */
export async function* scoreAhead(
  others: AsyncIterable<PeerGroups>,
  { learner, vocabSize }: Pick<LearningModules, 'learner' | 'vocabSize'>,
): AsyncGenerator<PeerGroups> {
  for await (const theirs of others) {
    const possible = theirs.groups.filter(group => faultOfClaims(group, vocabSize) === null)
    const scored = possible.length === 0 ? [] : await learner.score(possible).catch(() => undefined)
    yield scored === undefined ? theirs : { ...theirs, scored }
  }
}
