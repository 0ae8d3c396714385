import type { PeerKey } from '#core/hashes.ts'
import { mean } from '#core/mean.ts'
import type { CheckedGroup } from '../../draws/checkRollouts.ts'
import { passByFamily } from '../../metrics/passByLevel.ts'
import { mostSignal, mostSignalOfPeers, type ScoredGroup } from '../chooseLessons.ts'
import type { LearnOptions } from '../learner.ts'
import { createFaults } from './faults.ts'
import type { LearnedRound, LearningModules, PeerGroups, PeerLessons, RoundLessons } from './roundLessons.ts'

const FAILED = 'the update failed'

/** Updates on the own groups in a round where others' are made up: more were not measured. */
export const MOST_OWN_UPDATES = 4

/** What learning from a round is made of, in an order that follows from its environment and from what comes when. */
type LearningSteps = {
  /** Scores the own groups, and chooses what is learned from. */
  scoreOwn(groups: readonly CheckedGroup[]): Promise<void>
  learnOwn(): Promise<void>
  /** Scores what is sound of a peer's groups. */
  scorePeer(theirs: PeerGroups): Promise<PeerLessons>
  learnPeer(theirs: PeerLessons): Promise<void>
  /** One more update on the own groups for each peer that gave nothing to learn from. */
  makeUp(): Promise<void>
  /** One update on own groups and those of others. */
  mix(offered: readonly PeerLessons[]): Promise<void>
  /** Once all groups are scored. */
  noteTrust(): void
  /** At the end. */
  settle(): void
}

/** @param learned - is filled in by the steps. */
export function createSteps(modules: LearningModules, lessons: RoundLessons, learned: LearnedRound): LearningSteps {
  const { externalGroups } = lessons.spec.sharing
  const { ownGroups, ownUpdates } = lessons.spec.training
  const { score, update } = createUpdates(modules, lessons.round, learned)
  const faults = createFaults(modules, lessons, learned)
  const heard: { peerKey: PeerKey; reward: number }[] = []
  /** Own groups; null while they are sampled. */
  let own: { count: number; chosen: readonly ScoredGroup[] } | null = null
  /** Peers of which nothing was learned. */
  let lost = 0

  async function learnOwn(): Promise<void> {
    const { count, chosen } = own ?? { count: 0, chosen: [] }
    if (chosen.length > 0) faults.ofOwn(await update(chosen, chosen.length, { updates: ownUpdates }), count)
  }

  async function learnPeer({ peerKey, groups }: PeerLessons): Promise<void> {
    const failure = groups.length === 0 ? null : await update(groups, 0, { peer: peerKey, ahead: own === null })
    if (failure !== null) faults.ofPeer(peerKey, groups.length, failure)
    if (groups.length === 0 || failure !== null) lost += 1
    else learned.taken += groups.length
  }

  return {
    learnOwn,
    learnPeer,
    async scoreOwn(groups) {
      faults.sampled(groups)
      const mine = await score(groups)
      own = { count: groups.length, chosen: mostSignal(mine ?? [], ownGroups) }
      if (mine === null) return faults.ofOwn(FAILED, groups.length)
      learned.meanReward = meanOf(mine, 'rewards')
      learned.averageAtK = meanOf(mine, 'correctness')
      for (const { family, averageAtK } of passByFamily(mine)) learned.families[family] = averageAtK
    },
    async scorePeer(theirs) {
      const { peerKey, groups } = faults.withoutUnsound(theirs)
      const scored = groups.length === 0 ? [] : await score(groups)
      if (scored === null) faults.ofPeer(peerKey, groups.length, FAILED)
      else if (theirs.groups.length > 0)
        heard.push({ peerKey, reward: scored.length === 0 ? 0 : meanOf(scored, 'rewards') })
      return { peerKey, groups: scored ?? [] }
    },
    async makeUp() {
      const chosen = own?.chosen ?? []
      for (let left = Math.min(lost, MOST_OWN_UPDATES - ownUpdates); left > 0 && !lessons.until.aborted; left--)
        if (chosen.length === 0 || (await update(chosen, chosen.length, { again: true })) !== null) return
    },
    async mix(offered) {
      const groups = offered.flatMap(theirs => theirs.groups.map(group => ({ ...group, peerKey: theirs.peerKey })))
      const external = mostSignalOfPeers(groups, externalGroups, modules.trust.of)
      if (external.length === 0) return learnOwn()
      const chosen = own?.chosen ?? []
      if ((await update([...chosen, ...external], chosen.length)) === null) {
        learned.taken = external.length
        return
      }
      await learnOwn()
      for (const [peerKey, ofPeer] of Map.groupBy(external, theirs => theirs.peerKey))
        await learnPeer({ peerKey, groups: ofPeer })
    },
    noteTrust() {
      for (const { peerKey, reward } of heard) modules.trust.note(peerKey, reward, learned.meanReward)
    },
    settle: faults.settle,
  }
}

/** Scores and updates of a round. One that fails is logged, whether the groups or the machine are at fault: the next ones are tried. */
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
    /** @returns why nothing was learned; null where it was. */
    async update(groups: readonly ScoredGroup[], ownCount: number, options: LearnOptions = {}): Promise<string | null> {
      const lesson = await attempt(groups.length, () => learner.learn(groups, ownCount, options))
      learned.updates += lesson?.updates ?? 0
      return lesson === null ? FAILED : lesson.failure
    },
  }
}

function meanOf(groups: readonly ScoredGroup[], figure: 'rewards' | 'correctness'): number {
  return mean(groups.flatMap(group => group[figure]))
}
