import { mean } from '#base/mean.ts'
import type { PeerKey } from '#core/hashes.ts'
import type { Judge } from '#environments/environment.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import type { GroupStepOptions, GroupStepReport, RolloutGroup } from '#rl/groupStep.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import { scoreGroups } from '../checking/scoreRollouts.ts'
import type { CheckedGroup } from '../draws/checkRollouts.ts'
import { passByDataset, passByFamily, passByLevel, passByPeer, passByProposer } from '../metrics/passByLevel.ts'
import type { AnswerFigures, TrainingLog } from '../metrics/trainingLog.ts'
import {
  createGradientLimit,
  createRateScaling,
  createRoundCount,
  FAILED,
  failureOf,
  learningRateOf,
  lossOptions,
  rulesOfOthers,
  rulesOfPeers,
} from '../models/learningRules.ts'
import type { PeerNode } from '../peerNode.ts'
import { countDiffering, farthestAnswers, type ScoredGroup } from './chooseLessons.ts'

type Lesson = {
  /** Reason why nothing was learned and the policy did not change; null if it learned. */
  failure: string | null
  /** 1 if the policy changed; 0 if not, because no group had a gradient. */
  updates: number
  /** Groups of others with a gradient; 0 if the policy did not change. */
  taken: number
}

export type Learner = {
  /** Claims in a rollout are not trusted: rewards are computed here. */
  score: (groups: readonly CheckedGroup[]) => Promise<ScoredGroup[]>
  /**
   * One update on these groups, or, if the specification says so, only on the answers of each whose rewards are farthest apart.
   *
   * @param own - number of own groups, which come first: the warm-up counts rounds with own groups.
   */
  learn: (groups: readonly ScoredGroup[], own: number, options: LearnOptions) => Promise<Lesson>
  /** How often the policy fell back to its last save, since the start. */
  setbacks: () => number
}

export type LearnOptions = {
  round: number
  /** Updates of the round that the policy has, on which the learning rate may depend; 0. */
  updates?: number
  /** The other peer whose groups they are, if there is exactly one: for the log. */
  peer?: PeerKey | null
  /**
   * Right answers of others count in full up to so many nats a token under this policy, on average; by default they are weighed by their
   * importance alone.
   */
  mostNats?: number | null
  /** Whether the round has learned from these groups before. */
  again?: boolean
}

type LearnerModules = Pick<PeerNode, 'environment' | 'journal' | 'clock'> & { training: Pick<TrainingLog, 'note'> }

/**
 * Learns from groups, its own or taken. The log-probabilities of the policy before an update on those of others are computed here too. Its gradient
 * is clipped to the norm of the last one of own groups, see `createGradientLimit`.
 *
 * @param trained - kind of the policy's trained tensors, each with its own learning rate.
 * @param datasetOf - returns the dataset of a task's text.
 * @param believesOwn - whether the policy itself sampled the own groups. A server's log-probabilities are claims, like those of a peer.
 */
export function createLearner(
  { environment: { spec, familyOf }, journal, training: log, clock }: LearnerModules,
  policy: PolicyClient,
  judge: Judge,
  trained: 'weights' | 'adapter' = 'weights',
  datasetOf: (text: string) => string | undefined = () => undefined,
  believesOwn = true,
): Learner {
  const { training } = spec
  const loss = lossOptions(training)
  const scaling = createRateScaling(journal, spec.sharing.learningRateScaling)
  const rounds = createRoundCount(journal)
  const ofOthers = rulesOfOthers(spec.sharing.maxKl)
  const chosenIn = (groups: readonly ScoredGroup[]) =>
    groups.map(group => farthestAnswers(group, training.answersPerGroup))
  const limit = createGradientLimit(journal, training.maxGradientNorm, spec.sharing.groupsPerPeer)

  /** One update. */
  async function update(
    groups: readonly ScoredGroup[],
    options: GroupStepOptions & { learningRate: number },
    own: number,
    peer: PeerKey | null,
  ): Promise<Lesson> {
    const toLessons = (of: readonly ScoredGroup[]) => chosenIn(of).flatMap(group => lessonOf(group, spec.solving))
    const [mine, theirs] = [toLessons(groups.slice(0, own)), toLessons(groups.slice(own))]
    const startedMs = clock.nowMs()
    const note = (failure: string | null, report: Partial<GroupStepReport> = {}) => {
      const seconds = (clock.nowMs() - startedMs) / 1000
      const { learningRate } = options
      log.note({ ...figuresOfUpdate(groups, own, peer), ...figuresOfStep(report), learningRate, seconds, failure })
    }
    const step = policy.policyStep([...mine, ...theirs], { ...options, ownGroups: mine.length })
    const report = await step.catch((error: unknown) => {
      note(FAILED)
      throw error
    })
    const { groupsUsed, haveGradient } = report
    if (theirs.length === 0 && report.step !== null) limit.ofOwn(report.step.gradientNorm, groupsUsed)
    const failure = failureOf(report)
    note(failure, report)
    if (failure !== null || groupsUsed === 0) return { failure, updates: 0, taken: 0 }
    return { failure, updates: 1, taken: haveGradient.slice(mine.length).filter(Boolean).length }
  }

  return {
    async score(groups) {
      const scores = await scoreGroups(judge, groups)
      let next = 0
      return groups.map(group => {
        const ofGroup = scores.slice(next, next + group.rollouts.length)
        next += group.rollouts.length
        const correctness = ofGroup.map(answer => answer.correctness)
        const rewards = ofGroup.map(({ score }) => score)
        const { problem, text } = group.task
        return { ...group, rewards, correctness, family: familyOf?.(problem), dataset: datasetOf(text) }
      })
    },
    async learn(groups, own, { round, updates = 0, peer = null, mostNats = null, again = false }) {
      const begins = own > 0 && !again
      const counted = begins ? rounds.including(round) : rounds.count()
      const learningRate = learningRateOf(training, trained, counted) * scaling.factor(round, updates)
      const hasOthers = groups.length > own
      const options = {
        ...{ learningRate, ...loss, ...(hasOthers || !believesOwn ? ofOthers : {}) },
        ...(hasOthers && mostNats !== null ? rulesOfPeers(mostNats) : {}),
        ...(own === 0 ? limit.forOthers(countDiffering(chosenIn(groups), training.minGroupDeviation)) : {}),
      }
      const lesson = await update(groups, options, own, peer)
      scaling.note(round, updates + lesson.updates)
      if (begins && lesson.failure === null) rounds.learned(round)
      return lesson
    },
    setbacks: () => policy.setbacks(),
  }
}

function figuresOfUpdate(groups: readonly ScoredGroup[], own: number, peer: PeerKey | null) {
  const peers = passByPeer(groups.map((group, i) => (i >= own && peer ? { ...group, peerKey: peer } : group)))
  return { groups: groups.length, ownGroups: own, peer, ...figuresByWhose(groups, own), peers, validShare: null }
}

function figuresOfStep({ step = null, kl = null, clipFraction = null, groupsUsed = 0 }: Partial<GroupStepReport>) {
  const { loss = null, gradientNorm = null, tokens = 0 } = step ?? {}
  return { groupsUsed, loss, kl, clipFraction, gradientNorm, tokens }
}

/** Figures of the groups, which do not depend on the update: of the own ones, and apart of those of others in the same update. */
function figuresByWhose(groups: readonly ScoredGroup[], own: number): AnswerFigures & { others: AnswerFigures | null } {
  const [mine, theirs] = [groups.slice(0, own), groups.slice(own)]
  const ofOthers = theirs.length === 0 ? null : { ...figuresOf(theirs), entropy: null }
  if (mine.length === 0 && ofOthers !== null) return { ...ofOthers, others: null }
  return { ...figuresOf(mine), entropy: entropyOf(mine), others: ofOthers }
}

function figuresOf(groups: readonly ScoredGroup[]): Omit<AnswerFigures, 'entropy'> {
  return {
    levels: passByLevel(groups),
    proposers: passByProposer(groups),
    families: passByFamily(groups),
    datasets: passByDataset(groups),
    reward: mean(groups.flatMap(({ rewards }) => rewards)),
    passAt1: mean(groups.flatMap(({ correctness }) => correctness)),
    completionTokens: mean(groups.flatMap(({ rollouts }) => rollouts.map(one => one.completionTokens.length))),
  }
}

/** Nats a token; null without tokens. */
function entropyOf(groups: readonly ScoredGroup[]): number | null {
  const sampled = groups.flatMap(({ rollouts }) => rollouts.map(({ logprobs }) => logprobs))
  const nats = sampled.reduce((sum, logprobs) => sum - logprobs.reduce((a, b) => a + b, 0), 0)
  const tokens = sampled.reduce((sum, { length }) => sum + length, 0)
  return tokens === 0 ? null : nats / tokens
}

/** A group as the trainer takes it. */
function lessonOf(
  { rollouts, rewards }: ScoredGroup,
  { temperature, topP }: EnvironmentSpec['solving'],
): readonly RolloutGroup[] {
  const completions = rollouts.map(({ completionTokens, logprobs }, i) => ({
    tokens: completionTokens,
    logprobs,
    sampling: { temperature, topP },
    reward: rewards[i] as number,
  }))
  return rollouts[0] === undefined ? [] : [{ prompt: rollouts[0].promptTokens, completions }]
}
