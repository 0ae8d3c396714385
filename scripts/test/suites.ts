import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

export interface Count {
  passed: number
  failed: number
  /** Title and first errors of each test that passed when it was run again. */
  failedOnce?: string[]
}

/** A suite that ends badly without a failing test (a crash, a missing file), or that has tested nothing, counts as a failure. */
export const failuresOf = ({ passed, failed }: Count, code: number) =>
  failed === 0 && (code !== 0 || passed === 0) ? 1 : failed

export interface Suite {
  name: string
  /** Only for `npm run test:long`, or by its name. */
  isLong?: boolean
  /** A name that it shares with others: `npm test -- contracts` runs both of their suites. */
  group?: string
  /** Takes only the processor time that suites next to it leave. */
  isYielding?: boolean
  /** Arguments for Node; `reportPath` is where the suite may leave a machine-readable report. */
  argv: (reportPath: string, isLong: boolean) => string[]
  count: (run: { code: number; output: string; reportPath: string }) => Promise<Count>
}

/** Whether a lane takes only what others leave. */
export const yields = (lane: readonly Suite[]) => lane.every(({ isYielding = false }) => isYielding)

/** The script behind a package's command, so that Node runs it without a shell or a wrapper. */
function bin(packageName: string, command: string = packageName): string {
  const manifest = require.resolve(`${packageName}/package.json`)
  const { bin: entry } = require(manifest) as { bin: string | Record<string, string> }
  const script = typeof entry === 'string' ? entry : entry[command]
  if (script === undefined) throw new Error(`${packageName} has no command ${command}`)
  return join(dirname(manifest), script)
}

/** A check is one test: it holds or it does not. */
const byExitCode: Suite['count'] = async ({ code }) => ({ passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 })

interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  testResults: { assertionResults: { status: string; fullName: string; failureMessages: string[] }[] }[]
}

const byVitestReport: Suite['count'] = async ({ reportPath }) => {
  const report = JSON.parse(await readFile(reportPath, 'utf8')) as VitestReport
  const failedOnce = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0)
    .map(({ fullName, failureMessages }) => `${fullName}\n${failureMessages.join('\n')}`)
  return { passed: report.numPassedTests, failed: report.numFailedTests, failedOnce }
}

/** Hardhat prints one `N passing` and, if any, one `N failing` for each of its runners. */
const byHardhatOutput: Suite['count'] = async ({ output }) => {
  const sum = (word: string) =>
    [...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}`, 'gm'))].reduce((total, match) => total + Number(match[1]), 0)
  return { passed: sum('passing'), failed: sum('failing') }
}

const vitest = (project: string) => (reportPath: string) => [
  bin('vitest'),
  'run',
  '--project',
  project,
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${reportPath}`,
]

const check = (name: string, argv: string[]): Suite => ({ name, argv: () => argv, count: byExitCode })
const types = (name: string, project: string) => check(name, [bin('typescript', 'tsc'), '--noEmit', '-p', project])
const end2end = (name: string, project: string): Suite => ({ name, argv: vitest(project), count: byVitestReport })

/**
 * Stages in turn, what fails fast first; the lanes of a stage run side by side, since most of these leave one of two cores
 * idle. The contracts are built once, before all that deploys them: two builds at a time would write the same folder. Node's
 * tests use both cores, and take two and a half times as long next to others of their priority; the whole swarm keeps time with a chain. The
 * contracts' own tests do not fail for being slow: they take the processor time that all others leave, from the second stage to the end.
 */
export const stages: Suite[][][] = [
  [
    [
      types('types', 'tsconfig.json'),
      types('types-indexer', 'indexer/tsconfig.json'),
      types('types-dashboard', 'dashboard/tsconfig.json'),
      check('house', ['scripts/checkHouse.ts']),
      check('format', [bin('@biomejs/biome', 'biome'), 'check', '.']),
      check('solhint', [bin('solhint'), '--max-warnings', '0', 'contracts/src/**/*.sol']),
      check('prettier', [bin('prettier'), '--check', 'contracts/src/**/*.sol']),
    ],
    [check('build', ['scripts/test/buildContracts.ts']), check('abi', [bin('hardhat'), 'abi', '--check'])],
  ],
  [
    [end2end('dashboard', 'dashboard*')],
    [end2end('indexer', 'indexer'), end2end('scripts', 'scripts')],
    [
      {
        ...{ name: 'solidity', group: 'contracts', isYielding: true, count: byHardhatOutput },
        argv: (_, isLong) => ['scripts/test/solidityTests.ts', ...(isLong ? ['--long'] : [])],
      },
      {
        ...{ name: 'contracts', isYielding: true, count: byHardhatOutput },
        argv: () => ['scripts/test/contractsOnNode.ts'],
      },
    ],
  ],
  [[end2end('node', 'node*')]],
  [[{ name: 'invariants', argv: () => ['scripts/test/longInvariants.ts'], count: byHardhatOutput, isLong: true }]],
  [[{ name: 'rows-fall', argv: () => ['scripts/test/breakInvariants.ts'], count: byHardhatOutput, isLong: true }]],
  [[{ ...check('attacks', ['scripts/simulate.ts', 'attacks']), isLong: true }]],
  [[{ ...end2end('long', 'long*'), isLong: true }]],
  [[end2end('swarm', 'swarm')]],
]
