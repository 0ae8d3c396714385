import { join } from 'node:path'
import type { Deployment } from '@waggle/deployments/record'
import { deploy, startChain } from '../swarm/chain.ts'
import { startIndexer } from '../swarm/indexer.ts'
import { type SwarmOptions as LocalOptions, parseOptions } from '../swarm/options.ts'
import { peerProcess, planPeer, planPeers, type SwarmPeer } from '../swarm/peers.ts'
import { playedEnvironment } from '../swarm/playedEnvironment.ts'
import { freeSwarmPorts, type Ports } from '../swarm/ports.ts'
import { keepRunning } from '../swarm/processes/keepRunning.ts'
import { type Managed, type ProcessSpec, Supervisor } from '../swarm/processes/supervisor.ts'
import { provisionPeers } from '../swarm/provisionPeers.ts'
import { type FaultyProxy, startFaultyProxy } from './faultyProxy.ts'
import { liars, lieVariables, type PeerLie } from './lies.ts'
import { openSmallDisk, type SmallDisk } from './smallDisk.ts'

/** The peer whose disk can be filled, and the disk's size, bytes: a solver's folder grows by two megabytes a round. */
const SMALL_DISK = { slot: 'solver-1', bytes: 320 * 2 ** 20 }

/** Peers whose clock is set wrong, by milliseconds. */
const SKEWED_MS: Readonly<Record<string, number>> = { 'solver-2': 90_000, 'evaluator-3': -90_000 }

type ChaosOptions = {
  data: string
  roundSeconds: number
  stop: AbortController
  say: (line: string) => void
}

/** A swarm of real processes, each of which is started again when it ends. */
export type ChaosSwarm = {
  deployment: Deployment
  deploymentPath: string
  rpcUrl: string
  ports: Ports
  peers: readonly SwarmPeer[]
  /** Through which every peer asks the chain. */
  proxy: FaultyProxy
  /** The peer with its own disk; null if none can be made. */
  smallDisk: { slot: string; disk: SmallDisk } | null
  /** Processes that run now, by name. */
  running: ReadonlyMap<string, Managed>
  /** The first round that liars lie about once they are started again; null before. */
  lying: { fromRound: number | null }
  supervisor: Supervisor
  /** Stops the peers for good; chain and indexer keep running. */
  stopPeers(): Promise<void>
  stopAll(): Promise<void>
}

/** Starts the chain, a gateway, a proposer, three evaluators, two solvers, an auditor and the indexer. */
export async function startChaosSwarm({ data, roundSeconds, stop, say }: ChaosOptions): Promise<ChaosSwarm> {
  const ports = await freeSwarmPorts()
  const options = optionsOf(data, roundSeconds, ports)
  const supervisor = new Supervisor(join(data, 'logs'), join(data, 'processes.json'))
  const keep = keepRunning(supervisor, stop, say)
  const running = new Map<string, Managed>()
  const lying: ChaosSwarm['lying'] = { fromRound: null }
  const hold = (name: string, start: (onExit: (status: number | string) => void) => Promise<Managed>) =>
    keep(name, async onExit => {
      const managed = await start(status => {
        running.delete(name)
        onExit(status)
      })
      running.set(name, managed)
      return managed
    })
  const proxy = await startFaultyProxy(`http://127.0.0.1:${ports.chain}`)
  const stopAll = async () => {
    await supervisor.stopAll()
    await proxy.close()
  }
  try {
    const played = await playedEnvironment(options, stop.signal)
    const rpcUrl = `http://127.0.0.1:${ports.chain}`
    say('starting the chain …')
    await hold('chain', onExit => startChain(supervisor, { port: ports.chain, data, onExit }, stop.signal))
    const environmentHash = played.environment.hash
    const { deployment, path } = await deploy({ rpcUrl, data, roundSeconds, environmentHash })
    const players = (await planPeers(options, played)).filter(({ role }) => role !== 'judge')
    const peers = [...players, await planPeer(data, 'auditor', 'auditor')]
    const gateway = peers.find(({ role }) => role === 'gateway')?.peerId ?? ''
    await provisionPeers(rpcUrl, deployment, peers, [`/ip4/127.0.0.1/tcp/${ports.p2p}/p2p/${gateway}`])
    say('starting the peers and the indexer …')
    const smallFolder = peers.find(({ slot }) => slot === SMALL_DISK.slot)?.folder ?? ''
    const disk = await openSmallDisk(supervisor, smallFolder, SMALL_DISK.bytes)
    for (const peer of peers) {
      const at = { deploymentPath: path, rpcUrl: proxy.urlOf(peer.slot), ports, level: undefined, played }
      const spec = peerProcess({ peer, ...at })
      const begin = () => {
        const own = prepared(spec, { skewMs: SKEWED_MS[peer.slot], lie: lieOf(peer.slot, lying) })
        return peer.slot === SMALL_DISK.slot && disk !== null ? disk.enter(own) : own
      }
      await hold(spec.name, onExit => supervisor.start(begin(), onExit))
    }
    const env = { WAGGLE_DEPLOYMENT: path, WAGGLE_RPC_URL: rpcUrl }
    const indexer = { port: ports.indexer, data, env }
    await hold('indexer', onExit => startIndexer(supervisor, indexer, onExit, stop.signal))
    const stopPeers = () => supervisor.stopAll(['peer-'])
    return {
      deployment,
      deploymentPath: path,
      rpcUrl,
      ports,
      peers,
      proxy,
      smallDisk: disk && { slot: SMALL_DISK.slot, disk },
      running,
      lying,
      supervisor,
      stopPeers,
      stopAll,
    }
  } catch (error) {
    await stopAll()
    throw error
  }
}

function optionsOf(data: string, roundSeconds: number, ports: Ports): LocalOptions {
  const argv = ['--data', data, '--solvers', '2', '--evaluators', '3', '--round-seconds', `${roundSeconds}`]
  return parseOptions([...argv, '--port', `${ports.dashboard}`, '--chain-port', `${ports.chain}`])
}

type OwnLie = { kind: PeerLie; fromRound: number }

function lieOf(slot: string, { fromRound }: ChaosSwarm['lying']): OwnLie | null {
  const kind = liars[slot]
  return kind === undefined || fromRound === null ? null : { kind, fromRound }
}

/** Preloaded file that makes a peer lie, by the kind of lie. */
const LIE_FILES: Record<PeerLie, string> = {
  scores: 'lyingEvaluator.ts',
  favour: 'lyingEvaluator.ts',
  sampling: 'lyingSolver.ts',
  payload: 'lyingSolver.ts',
}

function prepared(spec: ProcessSpec, { skewMs = 0, lie }: { skewMs?: number | undefined; lie: OwnLie | null }) {
  const files = ['deepBeacons.ts', 'skewClock.ts', ...(lie === null ? [] : [LIE_FILES[lie.kind]])]
  const preloads = files.flatMap(file => ['--import', join(import.meta.dirname, file)])
  const lies = lie === null ? {} : { [lieVariables.kind]: lie.kind, [lieVariables.fromRound]: `${lie.fromRound}` }
  return { ...spec, argv: [...preloads, ...spec.argv], env: { ...spec.env, CHAOS_SKEW_MS: `${skewMs}`, ...lies } }
}
