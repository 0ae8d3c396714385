import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Bench } from '../measure/bench.ts'
import type { BenchRow, Measured } from '../measure/row.ts'
import type { PeerTurns, Turn } from './turnsProbe.ts'

const ROUNDS = 4
/** Longest time for which a peer may keep its own event loop from turning. */
const BAR_MS = 20
/** Time in which all peers of a machine connect to each other, with handshakes of libp2p and code that is not warm. */
const CONNECTING_MS = 15_000

/** A local swarm with the probe in every peer; what each of them left. */
function turnsOf(bench: Bench): Promise<PeerTurns[]> {
  return bench.once('turns', async () => {
    const folder = join(bench.folder, 'turns')
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    const probe = pathToFileURL(join(import.meta.dirname, 'turnsProbe.ts')).href
    const swarm = resolve(import.meta.dirname, '../swarm.ts')
    const options = ['--rounds', String(ROUNDS), '--exit', '--fresh', '--data', join(bench.folder, 'swarm')]
    const env = { NODE_OPTIONS: `--import ${probe}`, WAGGLE_BENCH_TURNS: folder }
    bench.log(`a swarm of ${ROUNDS} rounds: about 4 minutes`)
    const child = spawn(process.execPath, [swarm, ...options], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [status] = await once(child, 'exit')
    if (status !== 0) throw new Error(`the swarm ended with ${status}`)
    const files = await readdir(folder)
    return Promise.all(files.map(async file => JSON.parse(await readFile(join(folder, file), 'utf8')) as PeerTurns))
  })
}

/** Turns of these peers between two times after their start, the longest first. */
function turnsBetween(peers: readonly PeerTurns[], fromMs: number, toMs: number): Turn[] {
  return peers
    .flatMap(({ startedMs, turns }) =>
      turns.filter(({ atMs }) => startedMs !== null && atMs >= startedMs + fromMs && atMs < startedMs + toMs),
    )
    .sort((a, b) => b.ms - a.ms)
}

/** Without a value if a peer is missing: its turns after its start are unknown. */
export function said(found: readonly Turn[], peers: readonly PeerTurns[], when: string): Measured {
  const unstarted = peers.filter(({ startedMs }) => startedMs === null).length
  if (peers.length === 0 || unstarted > 0)
    return { value: null, conditions: `${unstarted} of ${peers.length} peers did not say when they had started` }
  const turns = peers.reduce((sum, { count }) => sum + count, 0)
  const seconds = Math.max(...peers.map(peer => peer.seconds)).toFixed(0)
  const above = found.filter(({ ms }) => ms > BAR_MS)
  const others = found.filter(({ collected }) => !collected)
  const conditions = `the longest turn ${when}, of ${turns} of ${peers.length} peers in ${seconds} s; processor time of the main thread; ${above.length} above ${BAR_MS} ms, ${above.filter(({ collected }) => collected).length} of them with a collection of the whole heap; the longest without one ${(others[0]?.ms ?? 0).toFixed(0)} ms`
  return { value: found[0]?.ms ?? 0, conditions }
}

const roleRow = (role: string): BenchRow => ({
  name: `turn-${role}`,
  unit: 'ms',
  bar: BAR_MS,
  better: 'less',
  async measure(bench) {
    const peers = (await turnsOf(bench)).filter(peer => peer.role === role)
    const when = `from ${CONNECTING_MS / 1000} s after a ${role} has started`
    return said(turnsBetween(peers, CONNECTING_MS, Number.POSITIVE_INFINITY), peers, when)
  },
})

const connectingRow: BenchRow = {
  name: 'turn-connecting',
  unit: 'ms',
  bar: null,
  better: 'less',
  async measure(bench) {
    const peers = await turnsOf(bench)
    return said(turnsBetween(peers, 0, CONNECTING_MS), peers, 'before that, while all peers connect to all')
  },
}

/** Times for which a peer keeps its event loop from turning, in a whole local swarm. Loading modules, before it has started, is left out. */
export const rows = [...['solver', 'evaluator', 'proposer', 'gateway'].map(roleRow), connectingRow]
