import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readReports } from '../../node/src/roles/readReports.ts'
import { JOURNAL_FILE } from '../../node/src/store/openDatabase.ts'

const root = join(import.meta.dirname, '..', '..')
export const SOLVERS = 3
/** A quorum. */
const EVALUATORS = 2

export type RealRun = {
  rounds: number
  /** Of the environment's program over rounds, mean of all solvers. */
  meanReward: (number | null)[]
  /** Groups that were taken from other solvers. */
  taken: number
  /** Exact accuracy of each solver on held-out questions. */
  accuracy: number[]
}

export type RealSwarm = {
  folder: string
  specification: string
  model: string
  rounds: number
  roundSeconds: number
  port: number
  log: (line: string) => void
}

/** Runs one command of the project to its end; its last line is JSON. @throws {Error} with the end of what it said. */
export async function runJson<T>(argv: string[], log: (line: string) => void): Promise<T> {
  const child = spawn(process.execPath, argv, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let said = ''
  child.stdout.on('data', chunk => {
    out += chunk
  })
  child.stderr.on('data', chunk => {
    said = `${said}${chunk}`.slice(-4_000)
    log(String(chunk))
  })
  const end = () => child.kill('SIGINT')
  process.once('SIGINT', end).once('SIGTERM', end)
  const code = await new Promise(resolve => child.once('close', resolve))
  process.off('SIGINT', end).off('SIGTERM', end)
  const last = out.trimEnd().split('\n').at(-1) ?? ''
  if (code !== 0 || last === '') throw new Error(`${argv[0]} ended with ${code}:\n${said}`)
  return JSON.parse(last) as T
}

/** A whole swarm, with its own chain and processes, until its solvers have learned in so many rounds. Resumes what was stopped. */
export async function realSwarm({ folder, specification, model, rounds, roundSeconds, port, log }: RealSwarm) {
  const journals = Array.from({ length: SOLVERS }, (_, i) => join(folder, 'peers', `solver-${i + 1}`, JOURNAL_FILE))
  const learned = () => Math.min(...journals.map(path => (existsSync(path) ? readReports(path).length : 0)))
  // Rounds that settle later still count in the run that resumes.
  const left = Math.max(1, rounds - learned())
  const argv = ['scripts/swarm.ts', '--environment', specification, '--model', model, '--lora', '16']
  argv.push('--solvers', `${SOLVERS}`, '--evaluators', `${EVALUATORS}`, '--rounds', `${left}`, '--exit', '--json')
  argv.push('--round-seconds', `${roundSeconds}`, '--data', folder, '--port', `${port}`, '--chain-port', `${port + 10}`)
  const { heldOut } = await runJson<{ heldOut: { solvers: { after: number }[] } }>(argv, log)
  const reports = journals.flatMap(path => readReports(path))
  const byRound = Map.groupBy(reports, ({ round }) => round)
  const meanReward = [...byRound]
    .toSorted(([a], [b]) => a - b)
    .map(([, of]) => of.reduce((sum, report) => sum + Number(report.meanReward), 0) / of.length)
  const taken = reports.reduce((sum, report) => sum + Number(report.taken), 0)
  const run: RealRun = { rounds: learned(), meanReward, taken, accuracy: heldOut.solvers.map(({ after }) => after) }
  return run
}
