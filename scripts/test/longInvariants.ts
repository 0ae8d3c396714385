/**
 * Plays the stateful invariants for a given time, on every core: every row of a suite is checked after each of its calls, so that a run
 * serves all rows. Ends with what was played, and fails at the first row that does not hold.
 */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compile } from '../solidity/compileTests.ts'
import { runTests } from '../solidity/runTests.ts'
import { invariantSuites, rowsAtOnce } from './rowsAtOnce.ts'

const DEPTH = 100
/** Runs between two reads of the clock. */
const BATCH = 50

const root = join(import.meta.dirname, '..', '..')

/** By suite. */
type Played = Record<string, { rows: number; runs: number; cpuSec: number }>

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    runs: { type: 'string' },
    // Runs that were played before: batches have seeds by their number, so that these are others.
    from: { type: 'string', default: '0' },
    only: { type: 'string' },
    workers: { type: 'string', default: String(availableParallelism()) },
    // Of the workers, the one that this process is.
    worker: { type: 'string' },
  },
})
const workers = Number(options.workers)
if (options.worker === undefined) await report()
else console.log(JSON.stringify(await play(Number(options.worker))))
process.exit(0) // the engine keeps the process alive

/** Plays every so many batches of each suite, until the time or the runs are over. */
async function play(worker: number): Promise<Played> {
  const endsAtMs = performance.now() + Number(options.minutes) * 60_000
  const first = Math.ceil(Number(options.from) / BATCH)
  const last = options.runs === undefined ? Number.POSITIVE_INFINITY : first + Math.ceil(Number(options.runs) / BATCH)
  const names = invariantSuites(root).filter(name => options.only?.split(',').includes(name) ?? true)
  const suites = names.map(compileSuite)
  const played: Played = Object.fromEntries(suites.map(({ name, rows }) => [name, empty(rows.length)]))
  for (let batch = first + worker; performance.now() < endsAtMs && batch < last; batch += workers) {
    for (const suite of suites) {
      const { runs, cpuSec } = await playBatch(suite, batch)
      const known = played[suite.name] ?? empty(suite.rows.length)
      played[suite.name] = { ...known, runs: known.runs + runs, cpuSec: known.cpuSec + cpuSec }
    }
  }
  return played
}

function compileSuite(name: string) {
  const suite = rowsAtOnce(root, name)
  const compilation = compile(root, [suite.file], new Map([[suite.file, suite.source]]), true)
  if ('errors' in compilation) throw new Error(compilation.errors.join('\n'))
  return { ...suite, contracts: compilation.contracts }
}

/** @throws where a row does not hold. */
async function playBatch({ name, file, contracts }: ReturnType<typeof compileSuite>, batch: number) {
  const before = process.cpuUsage()
  const effort = {
    fuzzRuns: 1,
    invariantRuns: BATCH,
    invariantDepth: DEPTH,
    seed: `0x${(0x7761 + batch).toString(16)}`,
  }
  const [outcome] = await runTests(contracts, [file], effort, 'invariant_AllRows')
  if (outcome === undefined || !outcome.passed)
    throw new Error(`${name} fails with seed ${effort.seed}: ${outcome?.reason ?? 'it was not run'}`)
  const { user, system } = process.cpuUsage(before)
  return { runs: outcome.calls / DEPTH, cpuSec: (user + system) / 1e6 }
}

/** Has the workers play, and says what they played together. */
async function report(): Promise<void> {
  const shares = await Promise.all(Array.from({ length: workers }, (_, worker) => playInProcess(worker)))
  console.log(`${new Date().toISOString().slice(0, 10)}, runs of depth ${DEPTH}, ${workers} at a time:`)
  let rows = 0
  for (const name of Object.keys(shares[0] ?? {})) {
    const all = shares.map(share => share[name] ?? empty(0))
    const sum = (of: (part: Played[string]) => number) => all.reduce((total, part) => total + of(part), 0)
    const [runs, cpuSec] = [sum(part => part.runs), sum(part => part.cpuSec)]
    rows += all[0]?.rows ?? 0
    const each = runs === 0 ? '' : `, ${(cpuSec / runs).toFixed(2)} s each`
    console.log(`${name}: ${runs} runs, ${all[0]?.rows} rows, ${(cpuSec / 60).toFixed(1)} minutes of one core${each}`)
  }
  console.log(`${rows} passing`)
}

/** One worker: a process, since the engine can be made once in each. A row that does not hold ends them all. */
function playInProcess(worker: number): Promise<Played> {
  const argv = [import.meta.filename, ...process.argv.slice(2), '--worker', String(worker)]
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  process.on('exit', () => child.kill())
  let output = ''
  child.stdout.on('data', chunk => (output += chunk))
  return new Promise(resolve =>
    child.on('close', code => {
      if (code === 0) return resolve(JSON.parse(output) as Played)
      console.log('1 failing')
      process.exit(1)
    }),
  )
}

function empty(rows: number): Played[string] {
  return { rows, runs: 0, cpuSec: 0 }
}
