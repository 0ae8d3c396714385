import { z } from 'zod'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import type { GroupStepReport } from '#rl/groupStep.ts'
import { learningRateAt } from '#rl/optimizers/learningRate.ts'
import type { Journal } from '#store/journal.ts'
import { ofRules } from './forgetOtherRules.ts'

/** Bound of the ratio for tokens of negative advantage, as in INTELLECT-2 (arXiv:2505.07291 section 3.4). */
const DELTA = 4

const TOO_FAR = 'the update would move the policy too far'
export const REFUTED = 'claimed log-probabilities are refuted by those of this policy'

type Training = EnvironmentSpec['training']

/** The specification's options of an update's loss. */
export function lossOptions({ clipLow, clipHigh, scaleRewards, minGroupDeviation: minDeviation }: Training) {
  return { clipLow, clipHigh, delta: DELTA, scaleRewards, minDeviation } as const
}

/** Additional options of an update from others' claims. @param maxKl - nats per token. */
export const rulesOfOthers = (maxKl: number) =>
  ({ recomputeLogprobs: true, maxKl, maskTruncatedAlternatives: true }) as const

/** Additional options of an update on other peers' groups. @param mostNats - a token: answers that are less likely do not count in full. */
export const rulesOfPeers = (mostNats: number) =>
  ({ importanceSamplingFloor: 1, importanceSamplingFloorNats: mostNats }) as const

/**
 * Limits the gradient of an update on another peer's groups to the norm of the last one on own groups, and to less if it has fewer groups. Honest
 * groups have about the same norm. A few answers that all push one way have many times as much, and would outweigh them. The last norm is kept in
 * the journal: after a restart own groups may have no gradient for some rounds.
 *
 * @param most - limit of own gradients.
 * @param groupsPerPeer - that are taken.
 */
export function createGradientLimit(journal: Journal, most: number, groupsPerPeer: number) {
  let own = ownGradientSchema.parse(journal.getState(ofRules.ownGradient))
  return {
    /** @param groups - that have a gradient. */
    ofOwn(norm: number, groups: number): void {
      if (!(norm > 0)) return
      own = { norm: Math.min(norm, most), groups }
      journal.setState(ofRules.ownGradient, own)
    },
    /** Options of an update on as many groups with a gradient, at least one. Before the first update on own groups their norm counts as `most`. */
    forOthers(groups: number): { clipNorm: number } {
      const { norm, groups: due } = own ?? { norm: most, groups: groupsPerPeer }
      return { clipNorm: norm * Math.min(1, Math.max(1, groups) / Math.max(1, Math.min(due, groupsPerPeer))) }
    },
  }
}

const ownGradientSchema = z
  .object({ norm: z.number().positive(), groups: z.int().min(1) })
  .nullable()
  .catch(null)

/**
 * The learning rate of a round's updates; weights and adapters have different ones.
 *
 * @param rounds - that were learned from, including this one: a falling rate is above zero in the last of `totalRounds`, and zero after it.
 */
export function learningRateOf(training: Training, trained: 'weights' | 'adapter', rounds: number): number {
  const { schedule, learningRate, adapterLearningRate, warmUpRounds, totalRounds } = training
  const total = totalRounds === null ? {} : { totalSteps: totalRounds + 1 }
  const peak = trained === 'adapter' ? adapterLearningRate : learningRate
  return learningRateAt(Math.max(1, rounds), { kind: schedule, peak, warmupSteps: warmUpRounds, ...total })
}

/**
 * Rounds whose own groups were learned from, kept in the journal. A round that is learned from again, because its updates were lost, counts once.
 */
export function createRoundCount(journal: Journal) {
  const kept = () => {
    const state = journal.getState(ofRules.roundsLearned) as number | Learned | null | undefined
    // A number alone is from release 0.9 or earlier.
    return typeof state === 'object' && state !== null ? state : { rounds: state ?? 0, last: null }
  }
  const including = (round: number) => kept().rounds + (kept().last === round ? 0 : 1)
  return {
    count: () => kept().rounds,
    including,
    learned: (round: number) => journal.setState(ofRules.roundsLearned, { rounds: including(round), last: round }),
  }
}

type Learned = { rounds: number; last: number | null }

type Counted = {
  round: number
  /** Most updates of the round that the policy had at once; `before`: of the last round that had any. */
  updates: number
  before: number
}

/**
 * Divides the learning rate by the square root of a round's updates, if the specification says so. A round counts as many updates as the last one
 * that had any, until it has more. The counts are kept in the journal.
 */
export function createRateScaling(journal: Journal, scaling: EnvironmentSpec['sharing']['learningRateScaling']) {
  const countsOf = (round: number): Counted => {
    const kept = journal.getState(ofRules.countedUpdates) as Counted | null | undefined
    if (kept == null || kept.round === round) return kept ?? { round, updates: 0, before: 0 }
    return { round, updates: 0, before: kept.updates > 0 ? kept.updates : kept.before }
  }
  return {
    /** Factor for the learning rate of a round's next update. @param updates - of the round that the policy has. */
    factor: (round: number, updates: number): number =>
      scaling === 'none' ? 1 : 1 / Math.sqrt(Math.max(countsOf(round).before, updates + 1)),
    /** Lost updates leave what the next round expects. @param updates - of the round that the policy has: fewer than before where some were lost. */
    note(round: number, updates: number): void {
      const counts = countsOf(round)
      const most = Math.max(counts.updates, updates)
      if (scaling === 'squareRoot') journal.setState(ofRules.countedUpdates, { ...counts, updates: most })
    },
  }
}

/** The failure of an update that threw: the groups or this machine may be at fault. */
export const FAILED = 'the update failed'

/** Reason why nothing was learned and the policy did not change; null if it learned. */
export function failureOf({ undone, refuted }: Pick<GroupStepReport, 'undone' | 'refuted'>): string | null {
  return undone ? TOO_FAR : refuted > 0 ? REFUTED : null
}
