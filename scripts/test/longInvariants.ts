/**
 * Plays the stateful invariants for a given time: every row of a suite is checked after each of its calls, so that a run serves all rows.
 * Ends with what was played, and fails at the first row that does not hold.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compile } from '../solidity/compileTests.ts'
import { runTests } from '../solidity/runTests.ts'
import { invariantSuites, rowsAtOnce } from './rowsAtOnce.ts'

const DEPTH = 100
/** Runs between two looks at the clock. */
const BATCH = 50

const root = join(import.meta.dirname, '..', '..')
const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    runs: { type: 'string' },
    // Runs that were played before: batches have seeds by their number, so that these are others.
    from: { type: 'string', default: '0' },
    only: { type: 'string' },
  },
})

const names = invariantSuites(root).filter(name => options.only === undefined || options.only.split(',').includes(name))
const played = new Map<string, { runs: number; cpuSec: number }>()
const endsAtMs = performance.now() + Number(options.minutes) * 60_000
const first = Math.ceil(Number(options.from) / BATCH)
const last = options.runs === undefined ? Number.POSITIVE_INFINITY : first + Math.ceil(Number(options.runs) / BATCH)
const suites = names.map(compileSuite)
for (let batch = first; performance.now() < endsAtMs && batch < last; batch++) {
  for (const suite of suites) await playBatch(suite, batch)
}
console.log(`${new Date().toISOString().slice(0, 10)}, runs of depth ${DEPTH}:`)
for (const { name, rows } of suites) {
  const { runs, cpuSec } = played.get(name) ?? { runs: 0, cpuSec: 0 }
  console.log(`${name}: ${runs} runs, ${rows.length} rows, ${(cpuSec / 60).toFixed(1)} minutes of one core`)
}
console.log(`${suites.reduce((sum, { rows }) => sum + rows.length, 0)} passing`)
process.exit(0) // the engine keeps the process alive

function compileSuite(name: string) {
  const suite = rowsAtOnce(root, name)
  const compilation = compile(root, [suite.file], new Map([[suite.file, suite.source]]), true)
  if ('errors' in compilation) throw new Error(compilation.errors.join('\n'))
  return { ...suite, contracts: compilation.contracts }
}

async function playBatch({ name, file, contracts }: ReturnType<typeof compileSuite>, batch: number): Promise<void> {
  const before = process.cpuUsage()
  const effort = {
    fuzzRuns: 1,
    invariantRuns: BATCH,
    invariantDepth: DEPTH,
    seed: `0x${(0x7761 + batch).toString(16)}`,
  }
  const [outcome] = await runTests(contracts, [file], effort, 'invariant_AllRows')
  if (outcome === undefined || !outcome.passed) {
    console.error(`${name} fails with seed ${effort.seed}: ${outcome?.reason ?? 'it was not run'}`)
    console.log('1 failing')
    process.exit(1)
  }
  const { user, system } = process.cpuUsage(before)
  const known = played.get(name) ?? { runs: 0, cpuSec: 0 }
  played.set(name, { runs: known.runs + outcome.calls / DEPTH, cpuSec: known.cpuSec + (user + system) / 1e6 })
}
