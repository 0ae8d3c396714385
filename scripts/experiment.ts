/** Learning runs with several arms and seeds: `npm run experiment -- swarm-vs-solo`. Finished runs are kept, and not run again. */
import { join, resolve } from 'node:path'
import { readCommandLine, refuseUsage } from './base/commandLine.ts'
import { type Experiment, experimentRows, linesOf, newestOf } from './experiment/experiment.ts'
import { options, usage } from './experiment/options.ts'
import { keepResults, type Measured } from './measure/results.ts'

const experiments: Record<string, () => Promise<Experiment>> = {
  'swarm-vs-solo': async () => (await import('./experiment/swarmVsSolo.ts')).swarmVsSolo,
  'real-model': async () => (await import('./experiment/realModel.ts')).realModel,
  'real-coding': async () => (await import('./experiment/realCoding.ts')).realCoding,
  poisoned: async () => (await import('./experiment/poisoned.ts')).poisoned,
}

const { values, positionals } = readCommandLine({ usage, options, hasArguments: true })
const [name = ''] = positionals
const open = experiments[name]
if (!open) refuseUsage(name === '' ? 'NAME is missing' : `no experiment named ${name}`, usage)

const log = (line: string) => void process.stderr.write(`${line.trimEnd()}\n`)
const data = resolve(values.data ?? join(import.meta.dirname, '..', '.waggle', 'experiments', name))
const experiment = await open()
const { quick, kept: onlyKept, threads, arm } = values
const measured: Measured[] = []
const rows = await experiment({ quick, data, onlyKept, measured, threads, arm, log }).catch((error: Error) => {
  if (error.name !== 'AbortError') throw error
  log('stopped: the same command resumes')
  process.exit(130)
})
for (const line of linesOf(rows, data)) log(line)
if (values.json) {
  const kept = rows.map(row => ({ ...row, value: row.value === null ? null : Number(row.value.toPrecision(4)) }))
  const benchmarks = join(import.meta.dirname, '..', 'docs', 'benchmarks')
  if (!quick && arm === undefined)
    await keepResults(benchmarks, 'experiments', experimentRows, kept, newestOf(measured))
  process.stdout.write(`${JSON.stringify({ rows })}\n`)
}
process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1
