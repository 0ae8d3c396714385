import { inWords } from '../showResult.ts'

type Report = { round: number } & Readonly<Record<string, unknown>>

/** Main figures of a solver's round, by their name in its report. */
const columns = [
  ['round', 'round'],
  ['tasks', 'tasks'],
  ['rollouts', 'rollouts'],
  ['taken', 'taken'],
  ['reward', 'meanReward'],
  ['updates', 'updates'],
] as const

/**
 * Reports of rounds for people: those of a solver as a table of their main figures, others in words, without what is none. Reasons why
 * something was refused, skipped or not paid follow a row. `status --json` has all figures.
 */
export function reportLines(reports: readonly Report[]): string[] {
  const widths = columns.map(([title, name]) =>
    Math.max(title.length, ...reports.map(report => figure(report[name]).length)),
  )
  const row = (texts: readonly string[]) => texts.map((text, at) => text.padStart(widths[at] ?? 0)).join('  ')
  const hasTable = reports.some(isSolvers)
  return [
    ...(hasTable ? [row(columns.map(([title]) => title))] : []),
    ...reports.flatMap(report => {
      if (!isSolvers(report)) return [otherLine(report)]
      return [row(columns.map(([, name]) => figure(report[name]))), ...reasons(report)]
    }),
  ]
}

const isSolvers = (report: Report) => 'rollouts' in report

function otherLine({ round, ...report }: Report): string {
  return `round ${round}: ${inWords(Object.fromEntries(Object.entries(report).filter(([, value]) => !isNone(value))))}`
}

function reasons({ refused, skippedPlaces, failure, unpaid }: Report): string[] {
  const told = Object.entries({ refused, skippedPlaces, failure, unpaid }).filter(([, value]) => !isNone(value))
  return told.length === 0 ? [] : [`  ${inWords(Object.fromEntries(told))}`]
}

function isNone(value: unknown): boolean {
  return value == null || (typeof value === 'object' && Object.keys(value).length === 0)
}

function figure(value: unknown): string {
  return typeof value === 'number' ? String(Number(value.toFixed(3))) : '–'
}
