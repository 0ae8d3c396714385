import { mean } from '#base/mean.ts'
import type { PeerKey } from '#core/hashes.ts'
import type { Logger } from '#core/logger.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import type { CheckedGroup } from '../draws/checkRollouts.ts'
import { endsRole } from '../duties/endsRole.ts'
import { passByFamily } from '../metrics/passByLevel.ts'
import { mostNatsOf } from './checkClaims.ts'
import type { ScoredGroup } from './chooseLessons.ts'
import { mostSignal, mostSignalOfPeers } from './chooseLessons.ts'
import type { Learner } from './learner.ts'
import { learnPeerByPeer, makeUp, type PeerLessons } from './peerByPeer.ts'
import type { Quarantine } from './quarantine.ts'
import { createFaults } from './roundFaults.ts'
import { createUpdates } from './roundUpdates.ts'
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
  /** After it, groups are learned from once, and no update is made up. */
  until: AbortSignal
}

export type LearnedRound = {
  /** Mean composite score of the own answers, by this solver's copy of the judge; 0 if there are none. */
  meanReward: number
  /** Mean predicted correctness of the own answers. */
  averageAtK: number
  /** The same by the families of their tasks; empty if the environment has no families. */
  families: Record<string, number>
  /** Groups of others that were trained on: those with a gradient, each once. */
  taken: number
  /** Updates that changed the policy. */
  updates: number
  /** Groups that were refused or left out, including own ones, by reason. */
  refused: Record<string, number>
}

/**
 * Learns from a round's groups, own and taken, in the mode of the environment's specification.
 *
 * `updateForEachPeer`: updates on the own groups, then on each peer's as they arrive. `mixed`: own and taken ones in one update, by peer key, once all have
 * arrived or the time is up (SAPO, arXiv:2509.08721 section 3); if that fails, peer by peer, to find the peer at fault. If the specification limits
 * the number of own groups, or in `mixed` of taken ones, those with the most signal are used. In `updateForEachPeer`, a peer without usable groups
 * costs no update, as far as `MOST_OWN_UPDATES` goes: as many are made on the own groups.
 *
 * Groups cannot make the round fail, nor can a failure to read them: it costs those that are left. A peer whose claims are refuted is put in quarantine;
 * one whose groups would move the policy too far, or make an update throw, is if it happens again. If a worker is lost, and the round's
 * updates with it, those on the own groups are repeated.
 */
export async function learnRound(modules: LearningModules, lessons: RoundLessons): Promise<LearnedRound> {
  const { trust } = modules
  const { mode, externalGroups } = lessons.spec.sharing
  const { ownGroups } = lessons.spec.training
  const learned: LearnedRound = { meanReward: 0, averageAtK: 0, families: {}, taken: 0, updates: 0, refused: {} }
  const updates = createUpdates(modules, lessons, learned)
  const faults = createFaults(modules, lessons, learned)
  const mostNats = mostNatsOf(lessons.own)

  async function* scoredOthers(): AsyncGenerator<PeerLessons> {
    for await (const theirs of untilFailure(modules, lessons)) {
      const { peerKey, groups } = faults.withoutUnsound(theirs)
      const scored = groups.length === 0 ? [] : (theirs.scored ?? (await updates.score(groups)))
      if (typeof scored === 'string') {
        faults.ofPeer(peerKey, groups.length, scored)
        yield { peerKey, groups: [] }
        continue
      }
      const reward = scored.length === 0 ? 0 : meanOf(scored, 'rewards')
      if (mine !== null && theirs.groups.length > 0) trust.note(peerKey, lessons.round, reward, learned.meanReward)
      yield { peerKey, groups: faults.withoutUnworthy(scored, ownReward) }
    }
  }

  const ownScores = await updates.score(lessons.own)
  const mine = typeof ownScores === 'string' ? null : ownScores
  // Without own scores there is no mean to be as good as: only right answers count.
  const ownReward = mine === null || mine.length === 0 ? Number.POSITIVE_INFINITY : meanOf(mine, 'rewards')
  if (typeof ownScores === 'string') faults.ofOwn(ownScores)
  else {
    learned.meanReward = meanOf(ownScores, 'rewards')
    learned.averageAtK = meanOf(ownScores, 'correctness')
    for (const { family, averageAtK } of passByFamily(ownScores)) learned.families[family] = averageAtK.value
  }
  const chosen = mostSignal(mine ?? [], ownGroups)
  const all = { updates, faults, learned, chosen, mostNats, ...updatesOf(lessons.spec) }
  if (mode === 'updateForEachPeer') {
    await makeUp(all, await learnPeerByPeer(all, scoredOthers()), lessons.until)
    return learned
  }

  const offered: (ScoredGroup & { peerKey: PeerKey })[] = []
  for await (const { peerKey, groups } of scoredOthers()) offered.push(...groups.map(group => ({ ...group, peerKey })))
  // All have arrived or are late: their order decides between equal signals, and the last digits of the update.
  offered.sort((a, b) => (a.peerKey < b.peerKey ? -1 : a.peerKey > b.peerKey ? 1 : 0))
  const external = mostSignalOfPeers(offered, externalGroups, trust.of)
  if (external.length === 0) {
    await learnPeerByPeer(all, [])
    return learned
  }
  const failure = await updates.update([...chosen, ...external], chosen.length, { mostNats })
  if (failure === null) return learned
  const peers = Map.groupBy(external, ({ peerKey }) => peerKey)
  await learnPeerByPeer(
    all,
    [...peers].map(([peerKey, groups]) => ({ peerKey, groups })),
  )
  return learned
}

/** The groups of others up to the first failure to read them, as of the chain: the round has learned from the others by then. */
async function* untilFailure(
  { logger, signal }: LearningModules,
  { others, round }: RoundLessons,
): AsyncGenerator<PeerGroups> {
  try {
    yield* others
  } catch (error) {
    if (endsRole(error, signal)) throw error
    logger.warn('groups of other peers could not be read; the rest of them is left out', { round, error })
  }
}

/** Updates of a round on the own groups, and on those of each other peer. `mixed` has one update of both. */
function updatesOf({ training, sharing }: RoundLessons['spec']) {
  if (sharing.mode === 'mixed') return { ownUpdates: 1, updatesPerPeer: 1 }
  return { ownUpdates: training.ownUpdates, updatesPerPeer: sharing.updatesPerPeer ?? 1 }
}

function meanOf(groups: readonly ScoredGroup[], figure: 'rewards' | 'correctness'): number {
  return mean(groups.flatMap(group => group[figure]))
}
