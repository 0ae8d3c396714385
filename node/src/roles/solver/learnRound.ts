import { mean } from '#base/mean.ts'
import type { PeerKey } from '#core/hashes.ts'
import type { Logger } from '#core/logger.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import type { CheckedGroup } from '../draws/checkRollouts.ts'
import { passByFamily } from '../metrics/passByLevel.ts'
import { areUnlikely, faultOfClaims, mostNatsOf } from './checkClaims.ts'
import type { ScoredGroup } from './chooseLessons.ts'
import { mostSignal, mostSignalOfPeers } from './chooseLessons.ts'
import type { Learner, LearnOptions } from './learner.ts'
import type { Quarantine } from './quarantine.ts'
import type { Trust } from './trust.ts'

/** Groups of another peer; empty if they did not arrive, or the peer is in quarantine. */
export type PeerGroups = {
  peerKey: PeerKey
  groups: readonly CheckedGroup[]
  /** Groups with possible claims, if they are already scored. */
  scored?: readonly ScoredGroup[]
}

export type LearningModules = {
  learner: Learner
  quarantine: Quarantine
  trust: Trust
  logger: Logger
  /** Size of the vocabulary, tokens. */
  vocabSize: number
  /** The node's signal: failures while it stops are not the peers' fault. */
  signal: AbortSignal
}

export type RoundLessons = {
  round: number
  spec: Pick<EnvironmentSpec, 'training' | 'sharing'>
  own: readonly CheckedGroup[]
  others: AsyncIterable<PeerGroups>
  /** After it, no update is made up. */
  until: AbortSignal
}

export type LearnedRound = {
  /** Mean composite score of the own answers, by this solver's copy of the judge; 0 if there are none. */
  meanReward: number
  /** Mean predicted correctness of the own answers. */
  averageAtK: number
  /** The same by the families of their tasks; empty if the environment has no families. */
  families: Record<string, number>
  /** Groups of others that were trained on. */
  taken: number
  /** Updates that changed the policy. */
  updates: number
  /** Groups that were refused, including own ones, by reason. */
  refused: Record<string, number>
}

type PeerLessons = { peerKey: PeerKey; groups: readonly ScoredGroup[] }

const FAILED = 'the update failed'

const UNLIKELY = 'answers are less likely than those that a policy samples'

/** Maximum of updates on the own groups in a round, including replacements for missing peers: more were not measured. */
export const MOST_OWN_UPDATES = 4

/**
 * Learns from a round's groups, own and taken, in the mode of the environment's specification.
 *
 * `updateForEachPeer`: updates on the own groups, then on each peer's as they arrive. `mixed`: own and taken ones in one update, once all have
 * arrived or the time is up (SAPO, arXiv:2509.08721 section 3); if that fails, peer by peer, to find the peer at fault. If the specification limits
 * the number of own groups, or in `mixed` of taken ones, those with the most signal are used. In `updateForEachPeer`, a peer without usable groups
 * costs no update: as many are made on the own groups.
 *
 * Groups cannot make the round fail. A peer whose groups make an update fail is put in quarantine.
 */
export async function learnRound(modules: LearningModules, lessons: RoundLessons): Promise<LearnedRound> {
  const { mode, externalGroups } = lessons.spec.sharing
  const { ownGroups } = lessons.spec.training
  const { ownUpdates, updatesPerPeer, mostMadeUp } = updatesOf(lessons.spec)
  const learned: LearnedRound = { meanReward: 0, averageAtK: 0, families: {}, taken: 0, updates: 0, refused: {} }
  const { score, update } = createUpdates(modules, lessons.round, learned)
  const faults = createFaults(modules, lessons, learned)
  const mostNats = mostNatsOf(lessons.own)
  const ofPeers = { mostNats, updates: updatesPerPeer }

  async function* scoredOthers(): AsyncGenerator<PeerLessons> {
    for await (const theirs of lessons.others) {
      const { peerKey, groups } = faults.withoutUnsound(theirs)
      const scored = groups.length === 0 ? [] : (theirs.scored ?? (await score(groups)))
      if (scored === null) faults.ofPeer(peerKey, groups.length, FAILED)
      else if (mine !== null && theirs.groups.length > 0)
        modules.trust.note(peerKey, scored.length === 0 ? 0 : meanOf(scored, 'rewards'), learned.meanReward)
      yield { peerKey, groups: scored ?? [] }
    }
  }

  /** @returns the number of peers without an update. */
  async function peerByPeer(sound: AsyncIterable<PeerLessons> | readonly PeerLessons[]): Promise<number> {
    let lost = 0
    if (chosen.length > 0) faults.ofOwn(await update(chosen, chosen.length, { updates: ownUpdates }))
    for await (const { peerKey, groups } of sound) {
      const before = learned.updates
      const failure = groups.length === 0 ? null : await update(groups, 0, { peer: peerKey, ...ofPeers })
      if (failure !== null) faults.ofPeer(peerKey, groups.length, failure)
      // Groups whose answers all earn the same change nothing, and none is at fault.
      if (learned.updates === before) lost += 1
      else learned.taken += groups.length
    }
    return lost
  }

  async function makeUp(lost: number): Promise<void> {
    for (let left = Math.min(lost * updatesPerPeer, mostMadeUp); left > 0 && !lessons.until.aborted; left--)
      if (chosen.length === 0 || (await update(chosen, chosen.length, { again: true })) !== null) return
  }

  const mine = await score(lessons.own)
  if (mine === null) faults.ofOwn(FAILED)
  else {
    learned.meanReward = meanOf(mine, 'rewards')
    learned.averageAtK = meanOf(mine, 'correctness')
    for (const { family, averageAtK } of passByFamily(mine)) learned.families[family] = averageAtK.value
  }
  const chosen = mostSignal(mine ?? [], ownGroups)
  if (mode === 'updateForEachPeer') {
    await makeUp(await peerByPeer(scoredOthers()))
    return learned
  }

  const offered: (ScoredGroup & { peerKey: PeerKey })[] = []
  for await (const { peerKey, groups } of scoredOthers()) offered.push(...groups.map(group => ({ ...group, peerKey })))
  const external = mostSignalOfPeers(offered, externalGroups, modules.trust.of)
  if (external.length === 0) {
    await peerByPeer([])
    return learned
  }
  const failure = await update([...chosen, ...external], chosen.length, { mostNats })
  if (failure === null) {
    learned.taken = external.length
    return learned
  }
  const peers = Map.groupBy(external, ({ peerKey }) => peerKey)
  await peerByPeer([...peers].map(([peerKey, groups]) => ({ peerKey, groups })))
  return learned
}

/** Updates of a round on the own groups, and on those of each other peer. `mixed` has one update of both. */
function updatesOf({ training, sharing }: RoundLessons['spec']) {
  const isMixed = sharing.mode === 'mixed'
  const ownUpdates = isMixed ? 1 : training.ownUpdates
  const updatesPerPeer = isMixed ? 1 : (sharing.updatesPerPeer ?? 1)
  return { ownUpdates, updatesPerPeer, mostMadeUp: MOST_OWN_UPDATES - ownUpdates }
}

/** Scores and updates of a round. A failure is logged, whether the groups or the machine are at fault, and the next update is tried. */
function createUpdates({ learner, logger, signal }: LearningModules, round: number, learned: LearnedRound) {
  async function attempt<T>(groups: number, run: () => Promise<T>): Promise<T | null> {
    try {
      return await run()
    } catch (error) {
      signal.throwIfAborted()
      logger.error('an update failed', { round, groups, error })
      return null
    }
  }

  return {
    score: (groups: readonly CheckedGroup[]) => attempt(groups.length, () => learner.score(groups)),
    /** @returns the reason why nothing was learned; null if it was. */
    async update(groups: readonly ScoredGroup[], ownCount: number, options: LearnOptions = {}): Promise<string | null> {
      const lesson = await attempt(groups.length, () => learner.learn(groups, ownCount, { round, ...options }))
      learned.updates += lesson?.updates ?? 0
      return lesson === null ? FAILED : lesson.failure
    },
  }
}

/** Counts refused groups, and puts the peers at fault in quarantine. */
function createFaults(modules: LearningModules, { round, own }: RoundLessons, learned: LearnedRound) {
  const { quarantine, vocabSize } = modules
  let ownFailure: string | null = null
  const refuse = (reason: string, groups: number) => {
    learned.refused[reason] = (learned.refused[reason] ?? 0) + groups
  }

  return {
    /** Leaves out a peer's groups with impossible claims, and all of its groups if its answers are unlikely, which may be honest. */
    withoutUnsound({ peerKey, groups }: PeerGroups): PeerGroups {
      const faults = groups.map(group => faultOfClaims(group, vocabSize))
      const found = faults.filter(fault => fault !== null)
      for (const fault of found) refuse(fault, 1)
      if (found[0] !== undefined) quarantine.put(peerKey, round, found[0])
      const possible = groups.filter((_, i) => faults[i] === null)
      if (!areUnlikely(possible, own)) return { peerKey, groups: possible }
      refuse(UNLIKELY, possible.length)
      return { peerKey, groups: [] }
    },
    ofOwn(failure: string | null): void {
      ownFailure = failure
      if (failure !== null) refuse(`own groups: ${failure}`, own.length)
    },
    /** If the own groups fail too, it may be this machine's fault. */
    ofPeer(peerKey: PeerKey, groups: number, failure: string): void {
      refuse(failure, groups)
      if (ownFailure === null) quarantine.put(peerKey, round, failure)
    },
  }
}

function meanOf(groups: readonly ScoredGroup[], figure: 'rewards' | 'correctness'): number {
  return mean(groups.flatMap(group => group[figure]))
}
