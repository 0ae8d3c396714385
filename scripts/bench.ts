/** Measures what the documents claim: `npm run bench -- GROUP`. Ratios, both sides in one run on this machine. */
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describeMachine } from '../node/src/engine/devices/describeMachine.ts'
import { openBench } from './bench/bench.ts'
import { reportOf } from './bench/report.ts'
import { type Group, keepResults, measuredOn } from './bench/results.ts'
import { type BenchRow, type RowResult, resultOf } from './bench/row.ts'
import { readCommandLine, refuseUsage } from './commandLine.ts'

const usage = `npm run bench -- GROUP [ROW…] [options]
npm run bench -- report

  GROUP        generate: tokens a second of a Qwen2.5-0.5B-shaped model
               train: a GRPO step of the same shape
               gpu: generation and training on a GPU, against its limits, torch and this machine's CPU
               gas: what each step costs on the chain, against its bars
               proof: how reliably evaluators find tokens that do not follow from their seed
               loop: how long the peers of a swarm block their event loops
               codezero: the starter's judge compared with execution, the levels, proposals, and hostile answers
               product: cold start, joining a running swarm, response times of the dashboard and the index;
                 one row needs Postgres: set DATABASE_URL
               network: payloads between peers, some of them slow, and the calls of an idle peer to its RPC endpoint

  report       write docs/benchmarks.md from the results that were kept

  ROW          measure only these rows (default: all of the group)

  --pack DIR   gpu: write a kit for a machine without network instead: copy DIR there and execute DIR/run
  --tiny       gpu: a tiny shape, also without a GPU, to test the run; keeps no results
  --json       print the rows as one line of JSON at the end, and keep them in docs/benchmarks
  --help       print this

Weights and peers are kept in node_modules/.cache/waggle-bench. If a tool to compare with cannot
be set up, its rows have no value.`

const runs: Record<
  Exclude<Group, 'simulate' | 'protocol' | 'experiments'>,
  () => Promise<{ rows: readonly BenchRow[] }>
> = {
  generate: () => import('./bench/generate.ts'),
  train: () => import('./bench/train.ts'),
  gas: () => import('./bench/gas.ts'),
  gpu: () => import('./bench/gpu.ts'),
  proof: () => import('./bench/proof.ts'),
  loop: () => import('./bench/loop.ts'),
  codezero: () => import('./bench/codezero/rows.ts'),
  product: () => import('./bench/product/rows.ts'),
  network: () => import('./bench/network.ts'),
}

const { values: options, positionals } = readCommandLine(usage, {
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    pack: { type: 'string' },
    tiny: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const root = resolve(join(import.meta.dirname, '..'))
const results = join(root, 'docs/benchmarks')
const [name = '', ...only] = positionals
if (name === 'report' && only.length === 0) {
  await writeFile(join(root, 'docs/benchmarks.md'), await reportOf(results))
  process.exit()
}
if (!isGroup(name)) refuseUsage(name === '' ? 'GROUP is missing' : `no group named ${name}`, usage)
if ((options.pack !== undefined || options.tiny) && name !== 'gpu') refuseUsage('--pack and --tiny are of gpu', usage)

const bench = openBench(root, options.tiny)
if (options.pack !== undefined) {
  const { packKit } = await import('./bench/gpu/pack.ts')
  await packKit(root, resolve(options.pack), bench)
  process.exit()
}
const { rows } = await runs[name]()
const unknown = only.find(name => !rows.some(row => row.name === name))
if (unknown !== undefined)
  refuseUsage(`no row named ${unknown}; there are ${rows.map(row => row.name).join(', ')}`, usage)

const measured: RowResult[] = []
for (const row of rows.filter(({ name }) => only.length === 0 || only.includes(name))) {
  bench.log(`measuring ${row.name}`)
  const result = await resultOf(row, bench)
  measured.push(result)
  if (options.json) bench.log(lineOf(result))
  else process.stdout.write(`${lineOf(result)}\n`)
}
if (options.json) {
  const when = { date: new Date().toISOString().slice(0, 10), machine: measuredOn(await describeMachine()) }
  if (!options.tiny) await keepResults(results, name, rows, measured, when)
  process.stdout.write(`${JSON.stringify({ rows: measured })}\n`)
}
process.exitCode = measured.every(result => result.ok) ? 0 : 1

function lineOf({ name, value, unit, bar, ok, conditions }: RowResult): string {
  const shown = value === null ? 'no value' : `${value} ${unit}`
  return `${ok ? 'ok  ' : 'miss'} ${name}: ${shown}${bar === null ? '' : ` (bar ${bar})`}; ${conditions}`
}

function isGroup(text: string): text is keyof typeof runs {
  return Object.hasOwn(runs, text)
}
