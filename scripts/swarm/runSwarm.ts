import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deployment } from '@waggle/deployments/record'
import { writeFileAtomic } from '../../node/model/src/base/writeFileAtomic.ts'
import { deploy, minedAtOnce, startChain } from './chain.ts'
import { connect, currentRound } from './chainFacts.ts'
import { buildDashboard, startDashboard } from './dashboard.ts'
import { fundMarket } from './fundMarket.ts'
import { startIndexer } from './indexer.ts'
import { joinCommand } from './joinCommand.ts'
import { type HeldOut, measureHeldOut } from './measureHeldOut.ts'
import { watchMemory } from './memory.ts'
import { createMonitor, type Monitor } from './monitor.ts'
import type { SwarmOptions } from './options.ts'
import { keepStartingPolicies, peerProcess, planPeers, type SwarmPeer } from './peers.ts'
import { type Played, playedEnvironment } from './playedEnvironment.ts'
import { type Ports, portsFrom, requireFree } from './ports.ts'
import { keepRunning } from './processes/keepRunning.ts'
import { endLeftovers, forgetRuns, PROCESSES_FILE } from './processes/leftovers.ts'
import { lockData } from './processes/lock.ts'
import { Supervisor } from './processes/supervisor.ts'
import { provisionPeers } from './provisionPeers.ts'
import { LiveTable } from './table.ts'

/**
 * Runs a swarm until it is told to stop or the run is complete, and leaves no process behind.
 *
 * @throws {Error} with one line that says what to do.
 */
export async function runSwarm(options: SwarmOptions, stop: AbortController): Promise<void> {
  const startedMs = performance.now()
  const seconds = () => (performance.now() - startedMs) / 1000
  const release = await lockData(options.data)
  const notesPath = join(options.data, PROCESSES_FILE)
  const supervisor = new Supervisor(join(options.data, 'logs'), notesPath)
  const memory = watchMemory(process.pid)
  try {
    await endLeftovers(notesPath, { say, signal: stop.signal })
    if (options.fresh) await forgetRuns(options.data)
    const swarm = await startEverything(options, supervisor, stop)
    const readySeconds = seconds()
    announce(options, swarm, readySeconds)
    const shown = { monitor: swarm.monitor, table: new LiveTable(process.stderr) }
    const progress = await follow(options, shown, stop.signal, seconds)
    const heldOut = progress.isComplete ? await learned(options, supervisor, swarm, stop.signal) : null
    if (!options.exit) await untilStopped(shown, stop.signal)
    const { firstSettledSeconds } = progress
    const measured = { readySeconds, firstSettledSeconds, peakPssMb: memory.peakMb() }
    const report = { ...measured, heldOut, ...swarm.monitor.report() }
    await supervisor.stopAll()
    if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`)
  } finally {
    memory.stop()
    await supervisor.stopAll()
    await release()
  }
}

interface Swarm {
  deployment: Deployment
  deploymentPath: string
  rpcUrl: string
  peers: SwarmPeer[]
  monitor: Monitor
  startedWith: Map<string, string | null>
  played: Played
}

async function startEverything(options: SwarmOptions, supervisor: Supervisor, stop: AbortController): Promise<Swarm> {
  const ports = portsFrom(options.port, options['chain-port'])
  await requireFree(ports)
  await mkdir(join(options.data, 'logs'), { recursive: true })
  const played = await playedEnvironment(options, stop.signal)
  const rpcUrl = `http://127.0.0.1:${ports.chain}`
  const keep = keepRunning(supervisor, stop, say)

  say('building the dashboard, starting the chain …')
  const built = buildDashboard(supervisor)
  built.catch(() => {})
  await keep('chain', onExit => startChain(supervisor, { port: ports.chain, data: options.data, onExit }, stop.signal))
  const peers = await planPeers(options, played)
  const gatewayPeerId = peers.find(({ role }) => role === 'gateway')?.peerId ?? ''
  const { path, deployment, client, firstRound, served } = await minedAtOnce(rpcUrl, async () => {
    const { deployment, path } = await deploy({
      rpcUrl,
      data: options.data,
      roundSeconds: options['round-seconds'],
      environmentHash: played.environment.hash,
    })
    say('starting indexer, pages and peers …')
    const sources = { WAGGLE_DEPLOYMENT: path, WAGGLE_RPC_URL: rpcUrl }
    const served = serve({ options, ports, sources, built }, supervisor, keep, stop.signal)
    served.catch(() => {})
    const client = connect(rpcUrl)
    const firstRound = (await currentRound(client, deployment)) ?? 0
    await provisionPeers(rpcUrl, deployment, peers, [`/ip4/127.0.0.1/tcp/${ports.p2p}/p2p/${gatewayPeerId}`])
    if (played.environment.games) await fundMarket(rpcUrl, deployment, peers)
    return { path, deployment, client, firstRound, served }
  })
  const startedWith = await keepStartingPolicies(peers, options.data)
  const solverFolders = peers.filter(({ role }) => role === 'solver').map(({ folder }) => folder)
  const at = { deploymentPath: path, rpcUrl, ports, level: options.level, played, solverFolders }
  for (const peer of peers) {
    const spec = peerProcess({ peer, ...at })
    await keep(spec.name, onExit => supervisor.start(spec, onExit))
  }
  await served
  const monitor = createMonitor({ client, deployment, peers, gatewayUrl: gatewayUrlOf(ports), firstRound })
  return { deployment, deploymentPath: path, rpcUrl, peers, monitor, startedWith, played }
}

interface Served {
  options: SwarmOptions
  ports: Ports
  /** Variables with the chain's addresses, for the indexer and the pages. */
  sources: Record<string, string>
  /** The pages, once they are built. */
  built: Promise<void>
}

/** Indexer and pages need a deployment and no peer: they start while the peers are registered. */
async function serve(
  { options, ports, sources, built }: Served,
  supervisor: Supervisor,
  keep: ReturnType<typeof keepRunning>,
  signal: AbortSignal,
): Promise<void> {
  await keep('indexer', onExit =>
    startIndexer(supervisor, { port: ports.indexer, data: options.data, env: sources }, onExit, signal),
  )
  await built
  const env = {
    ...sources,
    WAGGLE_INDEXER_URL: `http://127.0.0.1:${ports.indexer}`,
    WAGGLE_GATEWAY_URL: gatewayUrlOf(ports),
  }
  await keep('dashboard', onExit => startDashboard(supervisor, { port: ports.dashboard, env }, onExit, signal))
}

const gatewayUrlOf = ({ gateway }: Ports) => `http://127.0.0.1:${gateway}`

function announce(options: SwarmOptions, { deployment, peers }: Swarm, readySeconds: number): void {
  say('')
  for (const [name, { address }] of Object.entries(deployment.contracts)) say(`  ${name.padEnd(20)} ${address}`)
  for (const { slot, name, peerId } of peers) say(`  ${slot.padEnd(20)} ${name} (${peerId})`)
  say(`  ${'logs'.padEnd(20)} ${join(options.data, 'logs')}`)
  say(`\nready after ${readySeconds.toFixed(0)} s; dashboard on http://localhost:${options.port}`)
  const { indexer } = portsFrom(options.port, options['chain-port'])
  say(`indexer on http://127.0.0.1:${indexer}, GraphQL at /graphql`)
  say(`one more peer joins by: ${joinCommand(options)}\n`)
}

/** The rounds, and the table that shows them. */
interface Shown {
  monitor: Monitor
  table: LiveTable
}

/** Progress of a run: true if all its rounds have settled, and the seconds until the first had. */
interface Progress {
  isComplete: boolean
  firstSettledSeconds: number | null
}

/** Shows the rounds until the run is complete or stopped. */
async function follow(
  options: SwarmOptions,
  { monitor, table }: Shown,
  signal: AbortSignal,
  seconds: () => number,
): Promise<Progress> {
  let firstSettledSeconds: number | null = null
  while (!signal.aborted) {
    const { rows, settledRounds } = await monitor.refresh()
    table.update(rows)
    if (settledRounds > 0) firstSettledSeconds ??= seconds()
    if (options.rounds !== undefined && settledRounds >= options.rounds) {
      table.clear()
      return { isComplete: true, firstSettledSeconds }
    }
    await pause(signal)
  }
  return { isComplete: false, firstSettledSeconds }
}

/** Measures what the run taught, and leaves the figures where the gateway finds them for the dashboard. */
async function learned(
  options: SwarmOptions,
  supervisor: Supervisor,
  swarm: Swarm,
  signal: AbortSignal,
): Promise<HeldOut> {
  if (options.exit) await supervisor.stopAll(['peer-proposer', 'peer-solver', 'peer-evaluator', 'peer-judge'])
  say('measuring what the solvers learned, on held-out tasks …')
  const { peers, startedWith, played } = swarm
  const heldOut = await measureHeldOut(supervisor, peers, startedWith, { options, played }, signal)
  await writeFileAtomic(join(options.data, 'held-out.json'), JSON.stringify(heldOut))
  for (const { name, before, after } of heldOut.solvers)
    say(`  ${name}: pass@1 ${before.toFixed(3)} → ${after.toFixed(3)}`)
  if (!options.exit) say('the run is complete; the swarm goes on until Ctrl-C')
  return heldOut
}

async function untilStopped({ monitor, table }: Shown, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    table.update((await monitor.refresh()).rows)
    await pause(signal)
  }
}

const pause = (signal: AbortSignal) => sleep(1_000, undefined, { signal }).catch(() => undefined)

/** Progress goes to stderr: stdout is for the report. */
function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
