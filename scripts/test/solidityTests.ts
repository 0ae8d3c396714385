/**
 * The Solidity tests of the contracts, from the seed of `hardhat test solidity` and at a quarter of its effort. What Hardhat compiles besides
 * code, to trace failures, takes as long as the code, and the optimiser longer than both, so that here contracts are compiled without; with
 * `--long` as they are deployed, and at its whole effort. `npx hardhat test solidity FILE` traces a test that fails.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compile } from '../solidity/compileTests.ts'
import { quickEffort, testEffort } from '../solidity/effort.ts'
import { runTests, type TestOutcome } from '../solidity/runTests.ts'
import { invariantSuites, rowsAtOnce } from './rowsAtOnce.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = 'contracts/test'

const { values: options } = parseArgs({ options: { long: { type: 'boolean', default: false } } })
const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.t.sol'))
  .map(file => `${folder}/${file.replaceAll('\\', '/')}`)
const suites = invariantSuites(root).map(name => rowsAtOnce(root, name))
const derived = new Map(suites.map(({ file, source }) => [file, source]))
const compilation = compile(root, [...files, ...derived.keys()], derived, options.long)
if ('errors' in compilation) throw new Error(compilation.errors.join('\n'))

const effort = options.long ? testEffort : quickEffort
const tests = await runTests(compilation.contracts, files, effort, '^test')
const played = await runTests(compilation.contracts, [...derived.keys()], effort, '^invariant_AllRows')
const rows = suites.reduce((sum, suite) => sum + suite.rows.length, 0)
const broken = played.filter(({ passed }) => !passed)
const failures = [...tests.filter(({ passed }) => !passed), ...broken]
if (played.length !== suites.length) throw new Error(`${played.length} of ${suites.length} suites were played`)
console.log(`${tests.length - (failures.length - broken.length)} passing (tests)`)
// A suite stops at the first row that does not hold.
console.log(`${rows - broken.length} passing (rows of INVARIANTS.md)`)
if (failures.length > 0) console.log(`${failures.length} failing`)
for (const failure of failures) console.log(`  ${describe(failure)}`)
process.exit(failures.length > 0 ? 1 : 0) // the engine keeps the process alive

/** In one line: a reason that a row passes on is an encoded error. */
function describe({ suite, name, reason }: TestOutcome): string {
  return `${suite} ${name}: ${reason.replaceAll(/[^ -~]+/g, ' ')}`
}
