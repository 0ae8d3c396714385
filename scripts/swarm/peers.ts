import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isPolicy } from '../../node/src/roles/models/isPolicy.ts'
import { openIdentity } from '../../node/src/store/identity.ts'
import type { SwarmOptions } from './options.ts'
import type { Played } from './playedEnvironment.ts'
import type { Ports } from './ports.ts'
import type { ProcessSpec } from './processes/supervisor.ts'

const cli = join(import.meta.dirname, '..', '..', 'node', 'src', 'cli', 'main.ts')

/** Nine peers share this machine. With 2 MB the collector runs all the time; with V8's default of 16 each peer takes some 30 MB more. */
const HEAP = ['--max-semi-space-size=8']

type PeerRole = 'proposer' | 'solver' | 'evaluator' | 'judge' | 'auditor' | 'gateway'

/** One peer of the local swarm, its own process. */
export interface SwarmPeer {
  /** `solver-2`: its folder and its log. */
  slot: string
  role: PeerRole
  folder: string
  /** Three words. */
  name: string
  peerId: string
  peerKey: `0x${string}`
  address: `0x${string}`
}

/** The peers of the swarm; identities are created on the first run and kept. The gateway comes first: it is the bootnode of the others. */
export async function planPeers(options: SwarmOptions, { environment }: Played): Promise<SwarmPeer[]> {
  const slots: [PeerRole, number][] = [
    ['gateway', 1],
    ['proposer', environment.proposals === null ? 0 : 1],
    ['evaluator', options.evaluators],
    ['solver', options.solvers],
    ['judge', environment.games ? 1 : 0],
  ]
  const peers: SwarmPeer[] = []
  for (const [role, count] of slots)
    for (let number = 1; number <= count; number++) {
      const slot = count === 1 && role !== 'solver' && role !== 'evaluator' ? role : `${role}-${number}`
      peers.push(await planPeer(options.data, slot, role))
    }
  return peers
}

/** A peer with its own folder; its identity is made on the first run and kept. */
export async function planPeer(data: string, slot: string, role: PeerRole): Promise<SwarmPeer> {
  const folder = join(data, 'peers', slot)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { name, peerId, peerKey, address } = await openIdentity(folder)
  return { slot, role, folder, name, peerId, peerKey, address }
}

interface PeerLaunch {
  peer: SwarmPeer
  deploymentPath: string
  rpcUrl: string
  ports: Ports
  level: number | undefined
  played: Played
  /** Folders of the solvers, whose training the gateway's pages show. */
  solverFolders?: readonly string[]
}

export function peerProcess(launch: PeerLaunch): ProcessSpec {
  const { peer, deploymentPath, rpcUrl, ports, level, played, solverFolders = [] } = launch
  const isGateway = peer.role === 'gateway'
  const argv = [
    cli,
    'start',
    '--role',
    peer.role,
    '--data',
    peer.folder,
    '--deployment',
    deploymentPath,
    '--rpc',
    rpcUrl,
  ]
  argv.push('--listen', `/ip4/127.0.0.1/tcp/${isGateway ? ports.p2p : 0}`)
  if (isGateway)
    argv.push('--http', String(ports.gateway), ...solverFolders.flatMap(folder => ['--figures-of', folder]))
  argv.push(...played.argv, ...(peer.role === 'solver' ? played.solverArgv : []))
  if (peer.role === 'proposer') argv.push(...played.proposerArgv)
  if (peer.role === 'proposer' && level !== undefined) argv.push('--level', String(level))
  return { name: `peer-${peer.slot}`, command: process.execPath, argv: [...HEAP, ...argv] }
}

/** Keeps the weights that each solver starts this run with, to measure later what it learned. @returns by slot, null for a solver without own ones. */
export async function keepStartingPolicies(peers: SwarmPeer[], data: string): Promise<Map<string, string | null>> {
  const kept = new Map<string, string | null>()
  for (const peer of peers.filter(({ role }) => role === 'solver')) {
    const policy = join(peer.folder, 'policy')
    const copy = join(data, 'before', peer.slot)
    const learned = isPolicy(policy)
    if (learned) await cp(policy, copy, { recursive: true, force: true })
    kept.set(peer.slot, learned ? copy : null)
  }
  return kept
}
