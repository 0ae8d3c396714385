/**
 * `npm test`: every suite in turn, then one line `N passed, N failed` over all of them. `npm test -- NAME …` runs those suites only.
 * `npm run test:long` runs what is played at random, the contracts, for as long as an hour.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suites } from './test/suites.ts'

const root = join(import.meta.dirname, '..')

interface Outcome {
  code: number
  output: string
}

/** Runs one command in the root, shows what it prints, and keeps it for counting. */
async function execute(argv: string[], env: Record<string, string>): Promise<Outcome> {
  const child = spawn(process.execPath, argv, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const keep = (chunk: Buffer) => {
    output += chunk.toString()
    process.stdout.write(chunk)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const code = await new Promise<number>(resolve => child.on('close', status => resolve(status ?? 1)))
  return { code, output }
}

const named = process.argv.slice(2).filter(argument => argument !== '--long')
const isLong = process.argv.includes('--long')
const wanted = isLong && named.length === 0 ? ['contracts'] : named
const unknown = wanted.filter(name => !suites.some(suite => suite.name === name))
if (unknown.length > 0) {
  console.error(`no suite named ${unknown.join(', ')}; there are: ${suites.map(suite => suite.name).join(', ')}`)
  process.exit(2)
}

const scratch = await mkdtemp(join(tmpdir(), 'waggle-test-'))
let passed = 0
let failed = 0
const rows: string[] = []
for (const suite of suites.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const startedMs = performance.now()
  console.log(`\n── ${suite.name}`)
  const reportPath = join(scratch, `${suite.name}.json`)
  const { code, output } = await execute(suite.argv(reportPath), {
    WAGGLE_TEST: '1',
    NO_COLOR: '1',
    ...(isLong ? { WAGGLE_LONG: '1' } : {}),
  })
  const count = await suite.count({ code, output, reportPath })
  // A suite that ends badly without a failing test (a crash, a missing file) still counts as a failure.
  const broken = code !== 0 && count.failed === 0 ? 1 : 0
  passed += count.passed
  failed += count.failed + broken
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
  rows.push(
    `${suite.name.padEnd(16)} ${String(count.passed).padStart(5)} passed ${String(count.failed + broken).padStart(4)} failed ${seconds.padStart(5)} s`,
  )
}
await rm(scratch, { recursive: true, force: true })
console.log(`\n${rows.join('\n')}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
