/**
 * `npm test`: every suite, then one line `N passed, N failed` over all of them. `npm test -- NAME …` runs those suites only.
 * `npm run test:long` runs what is played at random for as long as an hour, the attackers' simulation, and what
 * needs large models.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { constants, getPriority, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { failurePart } from './test/failurePart.ts'
import { type Count, failuresOf, type Suite, stages, yields } from './test/suites.ts'

const root = join(import.meta.dirname, '..')

interface Outcome {
  code: number
  output: string
}

interface Running {
  /** Shows what it prints as it comes. */
  isAlone: boolean
  isYielding: boolean
}

/** Ten steps below this process, which may run at a lower priority itself. */
const lowerPriority = () =>
  Math.min(constants.priority.PRIORITY_LOW, getPriority() + constants.priority.PRIORITY_BELOW_NORMAL)

/** Runs one command in the root and keeps what it prints, for counting. */
async function execute(argv: string[], env: Record<string, string>, running: Running): Promise<Outcome> {
  const child = spawn(process.execPath, argv, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // Before it has threads and children, which inherit it.
  if (running.isYielding && child.pid !== undefined) setPriority(child.pid, lowerPriority())
  let output = ''
  const keep = (chunk: Buffer) => {
    output += chunk.toString()
    if (running.isAlone) process.stdout.write(chunk)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const code = await new Promise<number>(resolve => child.on('close', status => resolve(status ?? 1)))
  return { code, output }
}

const named = process.argv.slice(2).filter(argument => argument !== '--long')
const isLong = process.argv.includes('--long')
const wanted = isLong && named.length === 0 ? ['contracts', 'rows-fall', 'invariants', 'attacks', 'long'] : named
const names = stages.flat(2).map(({ name }) => name)
const isNamed = ({ name, group = name }: Suite) => wanted.includes(name) || wanted.includes(group)
const unknown = wanted.filter(name => !names.includes(name))
if (unknown.length > 0) {
  console.error(`no suite named ${unknown.join(', ')}; there are: ${names.join(', ')}`)
  process.exit(2)
}

const startedMs = performance.now()
const scratch = await mkdtemp(join(tmpdir(), 'waggle-test-'))
/** Suites start hundreds of processes of the same modules, which are compiled once for all of them. */
const compiled = join(root, 'node_modules/.cache/waggle-compiled')
const rows = new Map<string, Count & { seconds: number }>()
/** Output of each failed suite, shown again at the end: some logs keep only their end. */
const failures = new Map<string, string>()

async function runSuite(suite: Suite, isAlone: boolean): Promise<void> {
  const suiteStartedMs = performance.now()
  if (isAlone) console.log(`\n── ${suite.name}`)
  const reportPath = join(scratch, `${suite.name}.json`)
  const env = { WAGGLE_TEST: '1', NO_COLOR: '1', NODE_COMPILE_CACHE: compiled, ...(isLong ? { WAGGLE_LONG: '1' } : {}) }
  const { code, output } = await execute(suite.argv(reportPath, isLong), env, {
    isAlone,
    isYielding: !isAlone && suite.isYielding === true,
  })
  if (!isAlone) console.log(`\n── ${suite.name}\n${output}`)
  // A suite that crashed before it could report has no report to read.
  const count: Count = await suite.count({ code, output, reportPath }).catch(() => ({ passed: 0, failed: 0 }))
  const failed = failuresOf(count, code)
  const seconds = (performance.now() - suiteStartedMs) / 1000
  rows.set(suite.name, { ...count, failed, seconds })
  if (failed > 0) failures.set(suite.name, failurePart(output))
}

/** Lanes that take what others leave: no stage waits for them. */
const yielding: Promise<void>[] = []
for (const stage of stages) {
  const lanes = stage
    .map(lane => lane.filter(suite => (wanted.length === 0 ? !suite.isLong : isNamed(suite))))
    .filter(lane => lane.length > 0)
  if (lanes.length > 1)
    console.log(`\nside by side: ${lanes.map(lane => lane.map(({ name }) => name).join(', ')).join(' | ')} …`)
  const runLane = async (lane: Suite[]) => {
    for (const suite of lane) await runSuite(suite, lanes.length === 1)
  }
  // Selected suites, and long ones, may have nothing next to them in their stage: these are waited for.
  const isPatient = (lane: Suite[]) => lanes.length > 1 && yields(lane)
  const [patient = [], others = []] = [true, false].map(is => lanes.filter(lane => isPatient(lane) === is))
  yielding.push(...patient.map(runLane))
  await Promise.all(others.map(runLane))
}
await Promise.all(yielding)
await rm(scratch, { recursive: true, force: true })

for (const [name, part] of failures) console.log(`\n── failed: ${name}\n${part}`)
for (const [name, { failedOnce = [] }] of rows)
  for (const part of failedOnce) console.log(`\n── passed when it was run again: ${name}\n${part}`)

let passed = 0
let failed = 0
console.log('')
for (const name of names) {
  const row = rows.get(name)
  if (row === undefined) continue
  passed += row.passed
  failed += row.failed
  const counts = `${String(row.passed).padStart(5)} passed ${String(row.failed).padStart(4)} failed`
  console.log(`${name.padEnd(16)} ${counts} ${row.seconds.toFixed(0).padStart(5)} s`)
}
console.log(`${((performance.now() - startedMs) / 60_000).toFixed(1)} minutes in all`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
