import type { Share, Trial } from './measure.ts'
import { type NamedRow, pays } from './playNamed.ts'
import type { FreeResult } from './simulateFree.ts'
import { describe } from './strategy.ts'

export interface Row {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly bar: number
  readonly ok: boolean
}

/** The rows with bars. */
export function rowsOf({ decided, named, differing, tried }: FreeResult, fewestTried: number): Row[] {
  // Without any, -Infinity would hold every bar.
  const highest = (values: number[]) => (values.length === 0 ? Number.NaN : Math.max(...values))
  const profit = highest(decided.map(one => one.profit.mean + one.profit.error))
  const loss = highest(decided.map(one => one.honestLoss.mean))
  const most = (name: string, value: number, unit: string, bar: number) => ({
    name,
    value,
    unit,
    bar,
    ok: value <= bar,
  })
  const paying = named.filter(({ defended }) => pays(defended)).length
  const idle = named.filter(({ undefended }) => !pays(undefended)).length
  return [
    most('best-attack-profit', profit, 'share of honest pay, upper end', 0.01),
    most('honest-loss', loss, 'share of their pay', 0.02),
    most('named-attacks-that-pay', paying, 'attacks', 0),
    most('named-attacks-that-never-pay', idle, 'attacks', 0),
    most('runs-unlike-the-model', differing, 'runs', 0),
    { name: 'strategies-tried', value: tried, unit: 'strategies', bar: fewestTried, ok: tried >= fewestTried },
  ]
}

/** What was found, in lines. */
export function linesOf(result: FreeResult): string[] {
  const { named, best, decided, withoutAppeals, griefing, closed, chainRuns } = result
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
