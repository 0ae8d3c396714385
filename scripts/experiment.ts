/** Learning runs with several arms and seeds: `npm run experiment -- swarm-vs-solo`. Finished runs are kept, and not run again. */
import { join, resolve } from 'node:path'
import { describeMachine } from '../node/src/engine/devices/describeMachine.ts'
import { keepResults, measuredOn } from './bench/results.ts'
import { readCommandLine, readCount, refuseUsage } from './commandLine.ts'
import { type Experiment, experimentRows } from './experiment/experiment.ts'

const usage = `npm run experiment -- NAME [options]

  NAME          swarm-vs-solo: do peers that share learn faster than one alone?
                real-model: does SmolLM2-135M learn arithmetic in a swarm, and what does sharing add?
                poisoned: what do honest solvers lose if one of four peers poisons?

  --quick       one seed and a few rounds
  --data DIR    folder of finished runs, by arm and seed (default .waggle/experiments/NAME)
  --kept        report finished runs, start none
  --threads N   threads of each model (default 1)
  --json        print the rows as one line of JSON at the end; a whole run keeps them in docs/benchmarks
  --help        print this`

const experiments: Record<string, () => Promise<Experiment>> = {
  'swarm-vs-solo': async () => (await import('./experiment/swarmVsSolo.ts')).swarmVsSolo,
  'real-model': async () => (await import('./experiment/realModel.ts')).realModel,
  poisoned: async () => (await import('./experiment/poisoned.ts')).poisoned,
}

const { values, positionals } = readCommandLine(usage, {
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    data: { type: 'string' },
    kept: { type: 'boolean', default: false },
    threads: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const [name = ''] = positionals
const open = experiments[name]
if (!open) refuseUsage(name === '' ? 'NAME is missing' : `no experiment named ${name}`, usage)
const threads = readCount('threads', values.threads, usage)

const log = (line: string) => void process.stderr.write(`${line.trimEnd()}\n`)
const data = resolve(values.data ?? join(import.meta.dirname, '..', '.waggle', 'experiments', name))
const experiment = await open()
const options = { quick: values.quick, data, onlyKept: values.kept, threads, log }
const rows = await experiment(options).catch((error: Error) => {
  if (error.name !== 'AbortError') throw error
  log('stopped: the same command resumes')
  process.exit(130)
})
for (const { name, value, unit, bar, ok, conditions } of rows)
  log(
    `${ok ? 'ok  ' : 'miss'} ${name}: ${value?.toPrecision(4) ?? 'no value'} ${unit} (bar ${bar ?? 'none'}); ${conditions}`,
  )
if (values.json) {
  const when = { date: new Date().toISOString().slice(0, 10), machine: measuredOn(await describeMachine()) }
  const kept = rows.map(row => ({ ...row, value: row.value === null ? null : Number(row.value.toPrecision(4)) }))
  const benchmarks = join(import.meta.dirname, '..', 'docs', 'benchmarks')
  if (!values.quick) await keepResults(benchmarks, 'experiments', experimentRows, kept, when)
  process.stdout.write(`${JSON.stringify({ rows })}\n`)
}
process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1
