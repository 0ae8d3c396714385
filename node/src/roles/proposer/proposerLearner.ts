import { phase } from '@waggle/deployments/protocol'
import { mean } from '#base/mean.ts'
import type { GroupStepReport, RolloutGroup } from '#rl/groupStep.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import type { JsonValue } from '#store/journal.ts'
import type { TrainingStep } from '../metrics/trainingLog.ts'
import { ofRules } from '../models/forgetOtherRules.ts'
import { FAILED, failureOf, learningRateOf, lossOptions, rulesOfOthers } from '../models/learningRules.ts'
import type { PeerNode } from '../peerNode.ts'
import { type CandidateGroup, decodeGroups } from './candidates.ts'
import type { SolvedShares } from './solvedShares.ts'

/**
 * Value of a proposal to solvers that learn from it: 0 if all or none of them solve it, and 1 if half of their answers are right.
 *
 * @param solved - share of the answers that are right, 0 to 1.
 */
export const learnability = (solved: number): number => 4 * solved * (1 - solved)

/**
 * Rewards of proposals: the learnability of an answered task, 0 for a refused proposal, and no reward for a task that nobody was scored on, or whose
 * place did not count. Groups without an answered task are left out: they would only teach which proposals are refused.
 *
 * @param shares - solved share of each task, by its place.
 */
export function lessonsOf(groups: readonly CandidateGroup[], shares: ReadonlyMap<number, number>): RolloutGroup[] {
  return groups.flatMap(({ prompt, candidates }) => {
    const completions = candidates.flatMap(({ sampled: { tokens, logprobs, temperature }, place }) => {
      const solved = place === null ? 0 : shares.get(place)
      return solved === undefined ? [] : [{ tokens, logprobs, sampling: { temperature }, reward: learnability(solved) }]
    })
    const isAnswered = candidates.some(({ place }) => place !== null && shares.has(place))
    return isAnswered && completions.length > 1 ? [{ prompt, completions }] : []
  })
}

/** The journal's key for the candidates of a round, until they are learned from. */
export const CANDIDATES = 'candidates'

/** Rounds after a proposal's in which missing score sheets are waited for, and after which nothing is learned from it: policies move on. */
const [SHEETS_UNTIL, LEARNED_UNTIL] = [phase.opening + 3, phase.opening + 12]

export type ProposerLearner = {
  /** Learns from the oldest round of tasks with known results, if there is one. @param until - later score sheets are missing. */
  learn(round: number, until: AbortSignal): Promise<void>
}

type LearnerModules = Pick<PeerNode, 'environment' | 'playsIn' | 'journal' | 'clock' | 'logger' | 'signal'> & {
  training: Pick<PeerNode['training'], 'note'>
  /** Solved share of each task of a final round. */
  readShares(round: number, until: AbortSignal): Promise<SolvedShares>
}

/**
 * Trains a proposer's adapter on the value of its tasks to solvers: one update per round of tasks, once that is final.
 *
 * @param folder - the adapter is kept in it after every update.
 */
export function createProposerLearner(
  { environment: { spec }, playsIn, journal, training: log, clock, logger, signal, readShares }: LearnerModules,
  policy: Pick<PolicyClient, 'policyStep' | 'save'>,
  folder: string,
): ProposerLearner {
  const { training, sharing } = spec
  // Between a proposal and its results the policy moves on, so its own samples are treated like a stranger's.
  const options = { ...lossOptions(training), ...rulesOfOthers(sharing.maxKl) }

  /** One update, which is saved. */
  async function update(groups: readonly CandidateGroup[], lessons: readonly RolloutGroup[], solved: SolvedShares) {
    const kept = Number(journal.getState(ofRules.proposerUpdates) ?? 0)
    const learningRate = learningRateOf(training, 'adapter', kept + 1)
    const startedMs = clock.nowMs()
    const figures = figuresOf(groups, lessons, solved)
    const note = (failure: string | null, report: Partial<GroupStepReport> = {}) => {
      const { step = null, kl = null, clipFraction = null, groupsUsed = 0 } = report
      log.note({
        ...{ ...ofNoAnswers, ...figures, groups: lessons.length, ownGroups: lessons.length, groupsUsed },
        ...{ loss: step?.loss ?? null, kl, clipFraction, gradientNorm: step?.gradientNorm ?? null, learningRate },
        ...{ tokens: step?.tokens ?? 0, seconds: (clock.nowMs() - startedMs) / 1000, failure },
      })
    }
    const report = await policy.policyStep(lessons, { ...options, learningRate }).catch((error: unknown) => {
      note(FAILED)
      throw error
    })
    const { kl, groupsUsed } = report
    const failure = failureOf(report)
    note(failure, report)
    if (failure === null && groupsUsed > 0) {
      await policy.save(folder)
      journal.setState(ofRules.proposerUpdates, kept + 1)
    }
    const { reward, passAt1, validShare } = figures
    return { reward, solved: passAt1, validShare, kl, learned: failure === null && groupsUsed > 0, failure }
  }

  async function learnFrom(round: number, groups: readonly CandidateGroup[], solved: SolvedShares): Promise<void> {
    // A stop in the middle loses this update, and the next start does not repeat it.
    journal.set(round, CANDIDATES, null)
    const lessons = lessonsOf(groups, solved.shares)
    if (lessons.length === 0) return logger.info('nothing to learn from tasks', { round, tasks: solved.shares.size })
    try {
      const learned = await update(groups, lessons, solved)
      journal.set(round, 'report', { ...(journal.get(round, 'report') as Record<string, JsonValue>), ...learned })
      logger.info('learned from tasks', { round, ...learned })
    } catch (error) {
      signal.throwIfAborted()
      logger.error('an update failed', { round, groups: lessons.length, error })
    }
  }

  return {
    async learn(now, until) {
      const first = Math.max(0, now - LEARNED_UNTIL)
      for (let round = first; round <= now - phase.opening; round++) {
        if (journal.get(round, 'proposed') !== true) continue
        const groups = decodeGroups(journal.get(round, CANDIDATES))
        if (groups.length === 0 || !(await playsIn(round))) continue
        const solved = await readShares(round, until)
        signal.throwIfAborted()
        if (solved.missing > 0 && now < round + SHEETS_UNTIL) continue
        return learnFrom(round, groups, solved)
      }
    },
  }
}

/** Values of the figures that only answers have. */
const ofNoAnswers = {
  peer: null,
  others: null,
  levels: [],
  proposers: [],
  families: [],
  datasets: [],
  peers: [],
} as const satisfies Partial<TrainingStep>

/** Figures of the lessons, which do not depend on the update. */
function figuresOf(groups: readonly CandidateGroup[], lessons: readonly RolloutGroup[], { shares }: SolvedShares) {
  const completions = lessons.flatMap(lesson => lesson.completions)
  const candidates = groups.flatMap(group => group.candidates)
  const tokens = completions.reduce((sum, { logprobs }) => sum + logprobs.length, 0)
  const nats = completions.reduce((sum, { logprobs }) => sum - logprobs.reduce((a, b) => a + b, 0), 0)
  return {
    reward: mean(completions.map(({ reward }) => reward)),
    passAt1: mean(candidates.flatMap(({ place }) => (place === null ? [] : (shares.get(place) ?? [])))),
    validShare: mean(candidates.map(({ place }) => (place === null ? 0 : 1))),
    entropy: nats / Math.max(1, tokens),
    completionTokens: tokens / Math.max(1, completions.length),
  }
}
