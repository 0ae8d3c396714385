import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import type { GroupStepReport } from '#rl/groupStep.ts'
import { learningRateAt } from '#rl/optimizers/learningRate.ts'
import type { Journal } from '#store/journal.ts'

/** Bound of the ratio for tokens of negative advantage, as in INTELLECT-2 (arXiv:2505.07291 section 3.4). */
const DELTA = 4

const TOO_FAR = 'the update would move the policy too far'
const REFUTED = 'claimed log-probabilities are refuted by those of this policy'

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

/** The learning rate of an update; weights and adapters have different ones. @param updates - including this one. */
export function learningRateOf(training: Training, trained: 'weights' | 'adapter', updates: number): number {
  const { schedule, learningRate, adapterLearningRate, warmUpRounds, totalRounds } = training
  const total = totalRounds === null ? {} : { totalSteps: totalRounds }
  const peak = trained === 'adapter' ? adapterLearningRate : learningRate
  return learningRateAt(Math.max(1, updates), { kind: schedule, peak, warmupSteps: warmUpRounds, ...total })
}

const COUNTED = 'updates of the last two rounds'

type Counted = {
  round: number
  /** Updates of the round so far; `before`: of the last round that had any. */
  updates: number
  before: number
}

/**
 * Divides the learning rate by the square root of a round's updates, if the specification says so. A round counts as many updates as the one before
 * it, until it has more. The counts are kept in the journal, so a restart in the middle of a round loses none.
 */
export function createRateScaling(journal: Journal, scaling: EnvironmentSpec['sharing']['learningRateScaling']) {
  const countsOf = (round: number): Counted => {
    const kept = journal.getState(COUNTED) as Counted | undefined
    return kept?.round === round ? kept : { round, updates: 0, before: kept?.updates ?? 0 }
  }
  return {
    /** Factor for the learning rate of a round's next update. */
    factor(round: number): number {
      const { updates, before } = countsOf(round)
      return scaling === 'none' ? 1 : 1 / Math.sqrt(Math.max(before, updates + 1))
    },
    count(round: number, updates: number): void {
      const counts = countsOf(round)
      if (scaling === 'squareRoot') journal.setState(COUNTED, { ...counts, updates: counts.updates + updates })
    },
  }
}

/** Reason why nothing was learned and the policy did not change; null if it learned. */
export function failureOf({ undone, refuted }: Pick<GroupStepReport, 'undone' | 'refuted'>): string | null {
  return undone ? TOO_FAR : refuted > 0 ? REFUTED : null
}
