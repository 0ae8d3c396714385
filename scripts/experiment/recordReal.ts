import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MeasuredOn } from '../measure/results.ts'
import type { RowResult } from '../measure/row.ts'
import { plotCurves } from './plotCurves.ts'
import type { RealRound } from './realSwarm.ts'

/** Exact accuracy of each solver on held-out questions, and its rounds. */
export type RealRun = { accuracy: number[]; rounds: RealRound[] }

export type RealFound = {
  /** Held-out accuracy before the first round; null if it was not measured. */
  before: number | null
  /** Finished runs by their arm. */
  arms: Readonly<Record<string, RealRun>>
}

/** Writes finished runs to a folder: a record with every round, a table in Markdown and a plot. */
export async function recordReal(
  folder: string,
  { before, arms }: RealFound,
  rows: readonly RowResult[],
  when: { date: string; machine: MeasuredOn },
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const write = (name: string, text: string) => writeFile(join(folder, name), text)
  await write('real-model.json', `${JSON.stringify({ ...when, rows, before, arms }, null, 2)}\n`)
  await write('real-model.md', tableOf({ before, arms }))
  const curves = Object.entries(arms).map(([title, { rounds }]) => ({
    title,
    points: rounds.map(({ round, correct }) => ({ x: round, y: { mean: correct, half: null } })),
  }))
  const panel = { title: 'Share of own answers that are right, mean of the solvers, one run of each arm', curves }
  await write('real-model.svg', plotCurves('SmolLM2-135M in a swarm', 'round', [panel]))
}

/** One line an arm. */
function tableOf({ before, arms }: RealFound): string {
  const share = (value: number | null | undefined) => value?.toFixed(3) ?? ''
  const lines = Object.entries(arms).map(([arm, { accuracy, rounds }]) => {
    const sum = (figure: 'taken' | 'updates' | 'seconds') => rounds.reduce((total, round) => total + round[figure], 0)
    const own = `${share(rounds[0]?.correct)} to ${share(rounds.at(-1)?.correct)}`
    const seconds = Math.round(sum('seconds') / Math.max(1, rounds.length))
    return `| ${arm} | ${rounds.length} | ${share(before)} | ${accuracy.map(share).join(', ')} | ${own} | ${sum('taken')} | ${sum('updates')} | ${seconds} |`
  })
  const head =
    '| arm | rounds | held out, before | held out, after, by solver | own answers right, first to last round | groups taken | updates | seconds a round |'
  return `${[head, '|---|---|---|---|---|---|---|---|', ...lines].join('\n')}\n`
}
