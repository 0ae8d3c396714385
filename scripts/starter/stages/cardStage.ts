import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { barsOf, type Report } from '../bars.ts'
import { type ModelFacts, modelCard, type Origin } from '../modelCard.ts'
import type { Marker, WorkFolder } from '../workFolder.ts'
import { type ExportedModel, exportedModels } from './exportStage.ts'
import type { Stage } from './stage.ts'
import { stageOrder } from './stageOrder.ts'

/** Model cards and `report.json`, from what the stages before found. */
export const cardStage: Stage = async ({ seed, work, out }) => {
  const results = await stageResults(work)
  const measured = results.measure?.result as Omit<Report, 'sharing'>
  const report: Report = { ...measured, sharing: results.swarm?.result as Report['sharing'] }
  const bars = barsOf(report)
  const origin: Origin = { commit: commit(), seed, machine: machine(), minutes: minutes(results) }
  const files = results.export?.result as Record<ExportedModel, ModelFacts>
  for (const name of exportedModels) {
    const facts = { ...files[name], parameters: Number(results[name]?.result.parameters) }
    await writeFile(join(out, name, 'README.md'), modelCard(name, facts, origin, report, bars))
  }
  const stages = Object.fromEntries(
    Object.entries(results).map(([name, { seconds, result }]) => [name, { seconds, result }]),
  )
  const whole = { origin, models: files, bars, report, stages }
  await writeFile(join(out, 'report.json'), `${JSON.stringify(whole, null, 2)}\n`)
  return { bars, failing: bars.filter(({ holds }) => !holds).map(({ what }) => what) }
}

async function stageResults(work: WorkFolder): Promise<Record<string, Marker>> {
  const found: Record<string, Marker> = {}
  for (const name of stageOrder.flat()) {
    const marker = await work.json<Marker>(`${name}.done`)
    if (marker) found[name] = marker
  }
  return found
}

/** Stages of one group run at the same time. */
function minutes(results: Record<string, Marker>): number {
  const seconds = stageOrder.map(group => Math.max(...group.map(name => results[name]?.seconds ?? 0)))
  return Number((seconds.reduce((sum, part) => sum + part, 0) / 60).toFixed(1))
}

function machine(): string {
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${memory} GB`
}

/** The commit that made the models; marked where the code differs from it. */
function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  try {
    const isChanged = git('status', '--porcelain', '--', '..', '../../../node/src', '../../../node/model/src') !== ''
    return git('rev-parse', 'HEAD') + (isChanged ? ' (with uncommitted changes)' : '')
  } catch {
    return 'unknown (no git)'
  }
}
