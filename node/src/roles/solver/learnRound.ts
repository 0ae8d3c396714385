import type { Hex } from '#core/hex.ts'
import type { Logger } from '#core/logger.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import type { CheckedGroup } from '../checkRollouts.ts'
import { faultOfClaims } from './checkClaims.ts'
import type { Learner, Lesson, OwnMeans } from './learner.ts'
import type { Quarantine } from './quarantine.ts'

/** Groups of one other peer, never none. */
export type PeerGroups = { peerKey: Hex; groups: readonly CheckedGroup[] }

export type LearningModules = {
  learner: Learner
  quarantine: Quarantine
  logger: Logger
  /** Tokens that there are. */
  vocabSize: number
  /** Of the node: what fails while it stops is nobody's fault. */
  signal: AbortSignal
}

export type RoundLessons = {
  round: number
  mode: EnvironmentSpec['sharing']['mode']
  own: readonly CheckedGroup[]
  others: AsyncIterable<PeerGroups>
}

export type LearnedRound = OwnMeans & {
  /** Groups of others that were trained on. */
  taken: number
  /** Groups that were not, own ones included, by the reason. */
  refused: Record<string, number>
}

/**
 * Learns from a round's groups, own and taken, in the way that the environment's specification names.
 *
 * `updateForEachPeer`: one update on the own groups, then one on each peer's as they come. `mixed`: all of them in one
 * update, once no more are waited for (RL Swarm's way); where that fails, peer by peer, so that it is known whose fault it is.
 *
 * No groups fail the round. A peer whose groups do is put in quarantine.
 */
export async function learnRound(
  { learner, quarantine, logger, vocabSize, signal }: LearningModules,
  { round, mode, own, others }: RoundLessons,
): Promise<LearnedRound> {
  const refused: Record<string, number> = {}
  const refuse = (reason: string, groups: number) => {
    refused[reason] = (refused[reason] ?? 0) + groups
  }

  /** A fault of the groups, or of the machine: either way the next ones are learned from. */
  async function attempt(groups: readonly CheckedGroup[], count: number): Promise<Lesson> {
    try {
      return await learner.learn(groups, count)
    } catch (error) {
      signal.throwIfAborted()
      logger.error('an update failed', { round, own: count, groups: groups.length, error })
      return { meanReward: 0, averageAtK: 0, failure: 'the update failed' }
    }
  }

  /** Those of a peer's groups whose claims are possible. */
  function possible({ peerKey, groups }: PeerGroups): PeerGroups {
    const faults = groups.map(group => faultOfClaims(group, vocabSize))
    const found = faults.filter(fault => fault !== null)
    for (const fault of found) refuse(fault, 1)
    if (found[0] !== undefined) quarantine.put(peerKey, round, found[0])
    return { peerKey, groups: groups.filter((_, i) => faults[i] === null) }
  }

  async function* soundOthers(): AsyncGenerator<PeerGroups> {
    for await (const theirs of others) {
      const sound = possible(theirs)
      if (sound.groups.length > 0) yield sound
    }
  }

  async function peerByPeer(sound: AsyncIterable<PeerGroups> | readonly PeerGroups[]): Promise<LearnedRound> {
    const { failure: ownFailure, ...means } = await attempt(own, own.length)
    if (ownFailure !== null) refuse(`own groups: ${ownFailure}`, own.length)
    let taken = 0
    for await (const { peerKey, groups } of sound) {
      const { failure } = await attempt(groups, 0)
      if (failure === null) taken += groups.length
      else refuse(failure, groups.length)
      // Where the own ones fail too, it may be this machine's fault.
      if (failure !== null && ownFailure === null) quarantine.put(peerKey, round, failure)
    }
    return { ...means, taken, refused }
  }

  if (mode === 'updateForEachPeer') return peerByPeer(soundOthers())
  const all: PeerGroups[] = []
  for await (const theirs of soundOthers()) all.push(theirs)
  const groups = all.flatMap(theirs => theirs.groups)
  if (groups.length === 0) return peerByPeer([])
  const { failure, ...means } = await attempt([...own, ...groups], own.length)
  return failure === null ? { ...means, taken: groups.length, refused } : peerByPeer(all)
}
