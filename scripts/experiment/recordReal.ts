import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Measured } from '../measure/results.ts'
import type { RowResult } from '../measure/row.ts'
import { interval } from './compareArms.ts'
import { plotCurves } from './plotCurves.ts'
import type { RealFound, RealRun } from './realRows.ts'

/** Writes finished runs to a folder: a record with every round, a table in Markdown and a plot. */
export async function recordReal(
  folder: string,
  { before, arms }: RealFound,
  rows: readonly RowResult[],
  when: Partial<Measured>,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const write = (name: string, text: string) => writeFile(join(folder, name), text)
  await write('real-model.json', `${JSON.stringify({ ...when, rows, before, arms }, null, 2)}\n`)
  await write('real-model.md', tableOf({ before, arms }))
  const curves = Object.entries(arms)
    .filter(([, runs]) => runs.length > 0)
    .map(([title, runs]) => ({ title, points: curveOf(runs) }))
  const panel = { title: 'Share of own answers that are right, mean of the solvers and runs', curves }
  await write('real-model.svg', plotCurves('SmolLM2-135M in a swarm', 'round', [panel]))
}

/** Of runs of as many rounds, by the number of rounds before. */
function curveOf(runs: readonly RealRun[]) {
  const length = Math.min(...runs.map(({ rounds }) => rounds.length))
  return Array.from({ length }, (_, x) => ({
    x,
    y: interval(runs.map(({ rounds }) => rounds[x]?.correct ?? Number.NaN)),
  }))
}

/** One line a run. */
function tableOf({ before, arms }: RealFound): string {
  const share = (value: number | null | undefined) => value?.toFixed(3) ?? ''
  const lines = Object.entries(arms).flatMap(([arm, runs]) =>
    runs.map(({ accuracy, rounds }, index) => {
      const sum = (figure: 'taken' | 'updates' | 'seconds') => rounds.reduce((total, round) => total + round[figure], 0)
      const own = `${share(rounds[0]?.correct)} to ${share(rounds.at(-1)?.correct)}`
      const seconds = Math.round(sum('seconds') / Math.max(1, rounds.length))
      return `| ${arm} ${index + 1} | ${rounds.length} | ${share(before)} | ${accuracy.map(share).join(', ')} | ${own} | ${sum('taken')} | ${sum('updates')} | ${seconds} |`
    }),
  )
  const head =
    '| run | rounds | held out, before | held out, after, by solver | own answers right, first to last round | groups taken | updates | seconds a round |'
  return `${[head, '|---|---|---|---|---|---|---|---|', ...lines].join('\n')}\n`
}
