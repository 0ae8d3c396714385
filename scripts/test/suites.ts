import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

export interface Count {
  passed: number
  failed: number
}

export interface Suite {
  name: string
  /** Arguments for Node; `reportPath` is where the suite may leave a machine-readable report. */
  argv: (reportPath: string) => string[]
  count: (run: { code: number; output: string; reportPath: string }) => Count | Promise<Count>
}

/** The script behind a package's command, so that Node runs it without a shell or a wrapper. */
function bin(packageName: string, command: string = packageName): string {
  const manifest = require.resolve(`${packageName}/package.json`)
  const { bin: entry } = require(manifest) as { bin: string | Record<string, string> }
  const script = typeof entry === 'string' ? entry : entry[command]
  if (script === undefined) throw new Error(`${packageName} has no command ${command}`)
  return join(dirname(manifest), script)
}

/** A check is one test: it holds or it does not. */
const byExitCode: Suite['count'] = ({ code }) => ({ passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 })

const byVitestReport: Suite['count'] = async ({ reportPath }) => {
  const report = JSON.parse(await readFile(reportPath, 'utf8')) as { numPassedTests: number; numFailedTests: number }
  return { passed: report.numPassedTests, failed: report.numFailedTests }
}

/** Hardhat prints one `N passing` and, if any, one `N failing` for each of its runners. */
const byHardhatOutput: Suite['count'] = ({ output }) => {
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

/** In order: what fails fast comes first. */
export const suites: Suite[] = [
  { name: 'format', argv: () => [bin('@biomejs/biome', 'biome'), 'check', '.'], count: byExitCode },
  { name: 'types', argv: () => [bin('typescript', 'tsc'), '--noEmit', '-p', 'tsconfig.json'], count: byExitCode },
  {
    name: 'types-indexer',
    argv: () => [bin('typescript', 'tsc'), '--noEmit', '-p', 'indexer/tsconfig.json'],
    count: byExitCode,
  },
  {
    name: 'types-dashboard',
    argv: () => [bin('typescript', 'tsc'), '--noEmit', '-p', 'dashboard/tsconfig.json'],
    count: byExitCode,
  },
  { name: 'solhint', argv: () => [bin('solhint'), '--max-warnings', '0', 'contracts/src/**/*.sol'], count: byExitCode },
  { name: 'abi', argv: () => [bin('hardhat'), 'abi', '--check'], count: byExitCode },
  { name: 'contracts', argv: () => [bin('hardhat'), 'test'], count: byHardhatOutput },
  { name: 'node', argv: vitest('node'), count: byVitestReport },
  { name: 'indexer', argv: vitest('indexer'), count: byVitestReport },
  { name: 'dashboard', argv: vitest('dashboard'), count: byVitestReport },
  { name: 'swarm', argv: vitest('scripts'), count: byVitestReport },
]
