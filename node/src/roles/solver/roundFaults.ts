import type { PeerKey } from '#core/hashes.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import type { CheckedGroup } from '../draws/checkRollouts.ts'
import { REFUTED } from '../models/learningRules.ts'
import { areUnlikely, faultOfClaims } from './checkClaims.ts'
import { countDiffering, isWorthy, type ScoredGroup } from './chooseLessons.ts'
import type { Quarantine } from './quarantine.ts'
import { UNSCORED } from './roundUpdates.ts'

type Given = { peerKey: PeerKey; groups: readonly CheckedGroup[] }

const UNLIKELY = 'answers are less likely than those that a policy samples'
const UNWORTHY = 'no answer of the group is right, or as good as own ones'

/** Counts refused groups, and puts the peers at fault in quarantine. */
export function createFaults(
  { quarantine, vocabSize }: { quarantine: Quarantine; vocabSize: number },
  { round, own, spec }: { round: number; own: readonly CheckedGroup[]; spec: Pick<EnvironmentSpec, 'training'> },
  learned: { refused: Record<string, number> },
) {
  let ownFailure: string | null = null
  const refuse = (reason: string, groups: number) => {
    learned.refused[reason] = (learned.refused[reason] ?? 0) + groups
  }

  return {
    /** Leaves out a peer's groups with impossible claims, and all of its groups if its answers are unlikely, which may be honest. */
    withoutUnsound({ peerKey, groups }: Given): Given {
      const faults = groups.map(group => faultOfClaims(group, vocabSize))
      const found = faults.filter(fault => fault !== null)
      for (const fault of found) refuse(fault, 1)
      if (found[0] !== undefined) quarantine.put(peerKey, round, found[0])
      const possible = groups.filter((_, i) => faults[i] === null)
      if (!areUnlikely(possible, own)) return { peerKey, groups: possible }
      refuse(UNLIKELY, possible.length)
      return { peerKey, groups: [] }
    },
    /** Without groups that could teach wrong answers. Those without a gradient are not counted: they teach nothing. */
    withoutUnworthy(groups: readonly ScoredGroup[], ownReward: number): ScoredGroup[] {
      const { worthy = [], others = [] } = Object.groupBy(groups, group =>
        isWorthy(group, ownReward) ? 'worthy' : 'others',
      )
      const withGradient = countDiffering(others, spec.training.minGroupDeviation)
      if (withGradient > 0) refuse(UNWORTHY, withGradient)
      return worthy
    },
    ownFailed: () => ownFailure !== null,
    ofOwn(failure: string | null): void {
      ownFailure = failure
      if (failure !== null) refuse(`own groups: ${failure}`, own.length)
    },
    /**
     * Nobody is at fault if a server failed; if the own groups fail too, it may be this machine. An update that goes too far may be carried by the
     * gradients of the peer before it.
     */
    ofPeer(peerKey: PeerKey, groups: number, failure: string): void {
      refuse(failure, groups)
      if (ownFailure === null && failure !== UNSCORED)
        quarantine[failure === REFUTED ? 'put' : 'suspect'](peerKey, round, failure)
    },
  }
}
