import type { Share, Trial } from './measure.ts'
import { type NamedRow, pays } from './playNamed.ts'
import type { FreeResult } from './simulateFree.ts'
import { describe, type Strategy } from './strategy.ts'

export interface Row {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly bar: number
  readonly ok: boolean
  readonly better: 'more' | 'less'
  /** Method that found the value. */
  readonly conditions: string
}

/** The rows with bars. */
export function rowsOf(
  { decided, named, differing, tried, best, chainRuns }: FreeResult,
  fewestTried: number,
  seeds: number,
): Row[] {
  // Without any, -Infinity would hold every bar.
  const highest = (values: number[]) => (values.length === 0 ? Number.NaN : Math.max(...values))
  const upperEnd = ({ profit }: Trial) => profit.mean + profit.error
  const profit = highest(decided.map(upperEnd))
  const loss = highest(decided.map(one => one.honestLoss.mean))
  const most = (name: string, value: number, unit: string, bar: number, conditions: string): Row => ({
    ...{ name, value, unit, bar, conditions },
    ok: value <= bar,
    better: 'less',
  })
  const paying = named.filter(({ defended }) => pays(defended)).length
  const idle = named.filter(({ undefended }) => !pays(undefended)).length
  const highestOf = (of: (one: Trial) => number) => decided.toSorted((a, b) => of(b) - of(a))[0]?.strategy
  const bySeeds = (strategy: Strategy | undefined) =>
    `${seeds} seeds on the model; ${strategy === undefined ? 'none' : describe(strategy)}`
  const byProfit = bySeeds(highestOf(upperEnd))
  const byLoss = bySeeds(highestOf(({ honestLoss }) => honestLoss.mean))
  const searched = `of which the best ${best.length} are played on the contracts`
  return [
    most('best-attack-profit', profit, 'share of honest pay, upper end', 0.01, byProfit),
    most('honest-loss', loss, 'share of their pay', 0.02, byLoss),
    most('named-attacks-that-pay', paying, 'attacks', 0, `of ${named.length} on the first version, on the model`),
    most('named-attacks-that-never-pay', idle, 'attacks', 0, `of ${named.length}, without their defence`),
    most('runs-unlike-the-model', differing, 'runs', 0, `of ${chainRuns} runs on the contracts, to the wei`),
    {
      ...{ name: 'strategies-tried', value: tried, unit: 'strategies', bar: fewestTried, conditions: searched },
      ok: tried >= fewestTried,
      better: 'more',
    },
  ]
}

/** The findings, in lines. */
export function linesOf(result: FreeResult): string[] {
  const { named, best, decided, lasting, withoutAppeals, griefing, closed, chainRuns } = result
  return [
    '',
    'attacks on the first version, on the model: with the defence, and without it',
    ...named.map(namedLine),
    '',
    `the best of ${result.tried} strategies, on the contracts (${chainRuns} runs): profit, what honest peers lose`,
    `(half of them found where ${closed} is honest)`,
    ...best.map(trialLine),
    '',
    'the first of those again, by many more seeds on the model:',
    ...decided.map(trialLine),
    '',
    'those over twelve rounds:',
    ...lasting.map(trialLine),
    '',
    'the best on the model where nobody appeals:',
    ...(withoutAppeals === null ? [] : [trialLine(withoutAppeals)]),
    '',
    'what costs others most for each Nectar that it costs itself, on the model:',
    ...(griefing === null ? [] : [trialLine(griefing)]),
  ]
}

function namedLine({ name, unit, defended, undefended }: NamedRow): string {
  return `${name.padEnd(28)} ${inPercent(defended)}   ${inPercent(undefended)}   ${unit}`
}

function trialLine({ strategy, profit, honestLoss }: Trial): string {
  return `${inPercent(profit)}   ${inPercent(honestLoss)}   ${describe(strategy)}`
}

function inPercent({ mean, error }: Share): string {
  return `${(100 * mean).toFixed(2)} % (${(100 * error).toFixed(2)})`.padEnd(18)
}
