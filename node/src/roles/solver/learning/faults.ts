import type { PeerKey } from '#core/hashes.ts'
import type { CheckedGroup } from '../../draws/checkRollouts.ts'
import { areUnlikely, faultOfClaims, natsOf } from './checkClaims.ts'
import type { LearnedRound, LearningModules, PeerGroups, RoundLessons } from './roundLessons.ts'

const UNLIKELY = 'answers are less likely than those that a policy samples'

/** What is refused in a round. */
type Faults = {
  /** Leaves out those of a peer's groups whose claims are impossible, and all where its answers are unlikely, which may be honest. */
  withoutUnsound(theirs: PeerGroups): PeerGroups
  /** The answers that others' are compared with from now on, those of an earlier round until then. */
  sampled(own: readonly CheckedGroup[]): void
  ofOwn(failure: string | null, groups: number): void
  ofPeer(peerKey: PeerKey, groups: number, failure: string): void
  /** At the end of the round. Where the own groups fail too, it may be this machine's fault, and no peer is put in quarantine for it. */
  settle(): void
}

/** Counts the groups that are refused, and puts the peers at fault in quarantine. */
export function createFaults(
  { quarantine, usual, vocabSize }: LearningModules,
  { round }: Pick<RoundLessons, 'round'>,
  learned: Pick<LearnedRound, 'refused'>,
): Faults {
  let hasOwnFailed = false
  let ownNats = usual.now()
  const failed: [peerKey: PeerKey, failure: string][] = []
  const refuse = (reason: string, groups: number) => {
    learned.refused[reason] = (learned.refused[reason] ?? 0) + groups
  }

  return {
    withoutUnsound({ peerKey, groups }) {
      const faults = groups.map(group => faultOfClaims(group, vocabSize))
      const found = faults.filter(fault => fault !== null)
      for (const fault of found) refuse(fault, 1)
      if (found[0] !== undefined) quarantine.put(peerKey, round, found[0])
      const possible = groups.filter((_, i) => faults[i] === null)
      if (!areUnlikely(possible, ownNats)) return { peerKey, groups: possible }
      refuse(UNLIKELY, possible.length)
      return { peerKey, groups: [] }
    },
    sampled(own) {
      if (own.length > 0) ownNats = natsOf(own)
    },
    ofOwn(failure, groups) {
      hasOwnFailed = failure !== null
      if (failure !== null) refuse(`own groups: ${failure}`, groups)
    },
    ofPeer(peerKey, groups, failure) {
      refuse(failure, groups)
      failed.push([peerKey, failure])
    },
    settle() {
      if (ownNats !== null) usual.note(ownNats)
      if (!hasOwnFailed) for (const [peerKey, failure] of failed) quarantine.put(peerKey, round, failure)
    },
  }
}
