import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Deployment } from '@waggle/deployments/record'
import { deploy, startChain } from '../swarm/chain.ts'
import { parseOptions, type SwarmOptions } from '../swarm/options.ts'
import { peerProcess, planPeers, type SwarmPeer } from '../swarm/peers.ts'
import { playedEnvironment } from '../swarm/playedEnvironment.ts'
import { portsFrom, requireFree } from '../swarm/ports.ts'
import { keepRunning } from '../swarm/processes/keepRunning.ts'
import { endLeftovers, PROCESSES_FILE } from '../swarm/processes/leftovers.ts'
import { lockData } from '../swarm/processes/lock.ts'
import { Supervisor } from '../swarm/processes/supervisor.ts'
import { provisionPeers } from '../swarm/provisionPeers.ts'
import { passRounds } from './passRounds.ts'
import { reportsOf } from './roundWork.ts'

const root = join(import.meta.dirname, '..', '..')
const RANK = 16
const SOLVERS = 3
/** A quorum. */
const EVALUATORS = 2
/** Rounds end when their work is done: this is how long a machine that is busy may take for one. */
const ROUND_SECONDS = 600

/** Notes of a swarm's solvers on a round. */
export type RealRound = {
  round: number
  /** Reward of their own answers, by the environment's program: means over solvers. */
  reward: number
  correct: number
  /** Groups that were taken from other solvers, and updates: of all solvers. */
  taken: number
  updates: number
  /** From the beacon to the next policy, the slowest solver. */
  seconds: number
}

type RealSwarm = {
  folder: string
  specification: string
  model: string
  rounds: number
  port: number
  log: (line: string) => void
}

/**
 * Has a whole swarm learn for some rounds: a chain, a gateway, solvers and evaluators as separate processes. What was stopped resumes with the
 * round it was in.
 *
 * @returns the folders of what the solvers learned, and what they noted.
 */
export async function realSwarm({ folder, specification, model, rounds, port, log }: RealSwarm) {
  const argv = ['--environment', specification, '--model', model, '--lora', `${RANK}`, '--data', folder]
  argv.push('--solvers', `${SOLVERS}`, '--evaluators', `${EVALUATORS}`, '--round-seconds', `${ROUND_SECONDS}`)
  const options = parseOptions([...argv, '--port', `${port}`, '--chain-port', `${port + 10}`])
  const release = await lockData(folder)
  const stop = new AbortController()
  const end = () => stop.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  const notes = join(folder, PROCESSES_FILE)
  const supervisor = new Supervisor(join(folder, 'logs'), notes)
  try {
    await endLeftovers(notes, { say: log, signal: stop.signal })
    const { peers, ...chain } = await startPeers(options, supervisor, stop, log)
    const solvers = peers.filter(({ role }) => role === 'solver').map(one => one.folder)
    const learned = () => Math.min(...solvers.map(one => reportsOf(one).length))
    const complete = new AbortController()
    const passed = (round: number) => {
      log(`round ${round}: ${JSON.stringify(roundsOf(solvers).at(-1))}`)
      if (learned() >= rounds) complete.abort()
    }
    const signal = AbortSignal.any([stop.signal, complete.signal])
    if (learned() < rounds) await passRounds({ ...chain, peers, signal, passed })
    stop.signal.throwIfAborted()
    return { policies: solvers.map(one => join(one, 'policy')), rounds: roundsOf(solvers) }
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end)
    stop.abort()
    await supervisor.stopAll()
    await release()
  }
}

async function startPeers(
  options: SwarmOptions,
  supervisor: Supervisor,
  stop: AbortController,
  log: (line: string) => void,
): Promise<{ rpcUrl: string; deployment: Deployment; peers: SwarmPeer[] }> {
  const ports = portsFrom(options.port, options['chain-port'])
  await requireFree(ports)
  const played = await playedEnvironment(options, stop.signal)
  const rpcUrl = `http://127.0.0.1:${ports.chain}`
  const keep = keepRunning(supervisor, stop, log)
  const { data } = options
  await keep('chain', onExit => startChain(supervisor, { port: ports.chain, data, onExit }, stop.signal))
  const environmentHash = played.environment.hash
  const { deployment, path } = await deploy({ rpcUrl, data, roundSeconds: ROUND_SECONDS, environmentHash })
  const peers = await planPeers(options, played)
  const gateway = peers.find(({ role }) => role === 'gateway')?.peerId ?? ''
  await provisionPeers(rpcUrl, deployment, peers, [`/ip4/127.0.0.1/tcp/${ports.p2p}/p2p/${gateway}`])
  for (const peer of peers) {
    const spec = peerProcess({ peer, deploymentPath: path, rpcUrl, ports, level: undefined, played })
    await keep(spec.name, onExit => supervisor.start(spec, onExit))
  }
  return { rpcUrl, deployment, peers }
}

type Figure = 'meanReward' | 'averageAtK' | 'taken' | 'updates'

/** Rounds that any solver reported, in order. */
function roundsOf(folders: readonly string[]): RealRound[] {
  const byRound = Map.groupBy(folders.flatMap(reportsOf), ({ round }) => round)
  return [...byRound]
    .toSorted(([a], [b]) => a - b)
    .map(([round, reports]) => {
      const sum = (field: Figure) => reports.reduce((total, report) => total + report[field], 0)
      const seconds = Math.max(...reports.map(report => report.seconds))
      const means = { reward: sum('meanReward') / reports.length, correct: sum('averageAtK') / reports.length }
      return { round, ...means, taken: sum('taken'), updates: sum('updates'), seconds }
    })
}

/** Runs one command of the project to its end; its last line is JSON. @throws {Error} with the end of what it wrote. */
export async function runJson<T>(argv: string[], log: (line: string) => void): Promise<T> {
  const child = spawn(process.execPath, argv, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let errors = ''
  child.stdout.on('data', chunk => {
    out += chunk
  })
  child.stderr.on('data', chunk => {
    errors = `${errors}${chunk}`.slice(-4_000)
    log(String(chunk))
  })
  const end = () => child.kill('SIGINT')
  process.once('SIGINT', end).once('SIGTERM', end)
  const code = await new Promise(resolve => child.once('close', resolve))
  process.off('SIGINT', end).off('SIGTERM', end)
  const last = out.trimEnd().split('\n').at(-1) ?? ''
  if (code !== 0 || last === '') throw new Error(`${argv[0]} ended with ${code}:\n${errors}`)
  return JSON.parse(last) as T
}
