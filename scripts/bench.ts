/** Measures what the documents claim: `npm run bench -- GROUP`. Ratios, both sides in one run on this machine. */
import { rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readCommandLine, refuseUsage } from './base/commandLine.ts'
import { groupRows } from './bench/groupRows.ts'
import { options, usage } from './bench/options.ts'
import { jsonOf, writeRowsSoFar } from './bench/rowsFile.ts'
import { openBench } from './measure/bench.ts'
import { reportOf } from './measure/report.ts'
import { keepResults, measuredNow } from './measure/results.ts'
import { type RowResult, resultOf } from './measure/row.ts'

/** Exit status if a row misses its bar. An uncaught error is 1. */
const MISSED = 3

const { values, positionals } = readCommandLine({ usage, options, hasArguments: true })

const root = resolve(join(import.meta.dirname, '..'))
const results = join(root, 'docs/benchmarks')
const [name = '', ...only] = positionals
if (name === 'report' && only.length === 0) {
  await writeFile(join(root, 'docs/benchmarks.md'), await reportOf(results))
  process.exit()
}
if (!isGroup(name)) refuseUsage(name === '' ? 'GROUP is missing' : `no group named ${name}`, usage)
if ((values.pack !== undefined || values.import !== undefined || values.tiny) && name !== 'gpu')
  refuseUsage('--pack, --import and --tiny are of gpu', usage)

const answers = values.out === undefined || name !== 'gpu' ? null : `${values.out.replace(/\.json$/, '')}.answers.jsonl`
if (answers !== null) await rm(answers, { force: true })
const bench = openBench(root, values.tiny, values.elapsed, answers)
if (values.pack !== undefined) {
  const { packKit } = await import('./bench/gpu/pack.ts')
  await packKit(root, resolve(values.pack), bench)
  process.exit()
}
const { rows } = await groupRows[name]()
if (values.import !== undefined) {
  const { importRun } = await import('./bench/gpu/importRun.ts')
  await importRun(resolve(values.import), results, rows)
  bench.log('kept in docs/benchmarks/gpu.json; npm run bench -- report writes docs/benchmarks.md')
  process.exit()
}
const unknown = only.find(name => !rows.some(row => row.name === name))
if (unknown !== undefined)
  refuseUsage(`no row named ${unknown}; there are ${rows.map(row => row.name).join(', ')}`, usage)

const asked = rows.filter(({ name }) => only.length === 0 || only.includes(name))
const measured: RowResult[] = []
const when = await measuredNow()
const origin = { ...when, isTiny: values.tiny }
await writeRows()
for (const row of asked) await row.prepare?.(bench)
for (const row of asked) {
  bench.log(`measuring ${row.name}`)
  const result = await resultOf(row, bench)
  measured.push(result)
  await writeRows()
  if (values.json) bench.log(lineOf(result))
  else process.stdout.write(`${lineOf(result)}\n`)
}
if (values.json) {
  if (!values.tiny) await keepResults(results, name, rows, measured, when)
  process.stdout.write(jsonOf(measured, origin))
}
process.exitCode = measured.every(result => result.ok) ? 0 : MISSED

async function writeRows(): Promise<void> {
  if (values.out === undefined) return
  await writeRowsSoFar(values.out, asked, measured, origin).catch(error =>
    bench.log(`cannot write ${values.out}: ${error.message}`),
  )
}

function lineOf({ name, value, unit, bar, ok, conditions }: RowResult): string {
  const shown = value === null ? 'no value' : `${value} ${unit}`
  return `${ok ? 'ok  ' : 'miss'} ${name}: ${shown}${bar === null ? '' : ` (bar ${bar})`}; ${conditions}`
}

function isGroup(text: string): text is keyof typeof groupRows {
  return Object.hasOwn(groupRows, text)
}
