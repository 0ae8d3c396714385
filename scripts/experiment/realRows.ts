import type { RowResult } from '../measure/row.ts'
import { type Interval, interval } from './compareArms.ts'
import type { RealRound } from './realSwarm.ts'

const ACCURACY_BAR = 0.3

/** In `solo`, solvers take nothing from each other. */
export type ArmName = 'shared' | 'solo'

/** Exact accuracy of each solver on held-out questions, and its rounds. */
export type RealRun = { accuracy: number[]; rounds: RealRound[] }

export type RealFound = {
  /** Held-out accuracy before the first round; null if it was not measured. */
  before: number | null
  /** Finished runs of each arm. */
  arms: Readonly<Record<ArmName, RealRun[]>>
}

/**
 * Rows of the experiment with a published model. A run is one sample: its solvers are not independent.
 *
 * @param questions - what was asked, for the conditions.
 */
export function realRows({ before, arms }: RealFound, questions: string): RowResult[] {
  const [shared, solo] = [meansOf(arms.shared), meansOf(arms.solo)]
  const conditions = `${questions}; before ${before?.toFixed(3) ?? 'not run'}; shared ${described(arms.shared)}; solo ${described(arms.solo)}`
  const gain = shared === null || before === null ? null : shared.mean - before
  const sharing = shared === null || solo === null ? null : shared.mean - solo.mean
  const rowOf = (value: number | null) => {
    const row = { unit: 'exact accuracy', conditions, value }
    return value === null ? ({ ...row, notRun: true } as const) : row
  }
  return [
    { ...rowOf(gain), name: 'real-accuracy-gain', bar: ACCURACY_BAR, ok: gain !== null && gain >= ACCURACY_BAR },
    { ...rowOf(sharing), name: 'real-sharing-gain', bar: null, ok: sharing !== null },
  ]
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Over runs, the mean of a run's solvers. */
const meansOf = (runs: readonly RealRun[]): Interval | null =>
  runs.length === 0 ? null : interval(runs.map(({ accuracy }) => mean(accuracy)))

function described(runs: readonly RealRun[]): string {
  const over = meansOf(runs)
  if (over === null) return 'not run'
  const half = over.half === null ? '' : ` ± ${over.half.toFixed(3)}`
  const solvers = runs.map(({ accuracy }) => accuracy.map(x => x.toFixed(3)).join(', ')).join('; ')
  const rounds = [...new Set(runs.map(run => run.rounds.length))].join(' and ')
  return `${over.mean.toFixed(3)}${half} after ${rounds} rounds (${runs.length} ${runs.length === 1 ? 'run' : 'runs'}; by solver ${solvers})`
}
