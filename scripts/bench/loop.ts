import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Bench } from './bench.ts'
import type { BenchRow } from './row.ts'
import type { PeerTurns } from './turnsProbe.ts'

const ROUNDS = 4
/** What a peer may keep its own event loop from turning. */
const BAR_MS = 20

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

function row(role: string): BenchRow {
  return {
    name: `turn-${role}`,
    unit: 'ms',
    bar: BAR_MS,
    better: 'less',
    async measure(bench) {
      const peers = (await turnsOf(bench)).filter(peer => peer.role === role && peer.startedMs !== null)
      const long = peers.flatMap(({ startedMs, turns }) => turns.filter(([at]) => at > (startedMs ?? 0)))
      const ms = long.map(([, spent]) => spent).sort((a, b) => b - a)
      const turns = peers.reduce((sum, { count }) => sum + count, 0)
      const seconds = Math.max(...peers.map(({ seconds }) => seconds)).toFixed(0)
      const above = ms.filter(spent => spent > BAR_MS).length
      return {
        value: peers.length === 0 ? null : (ms[0] ?? 0),
        conditions: `the longest of ${turns} turns of ${peers.length} peers in ${seconds} s, in processor time of the main thread, from when they had started; ${above} above ${BAR_MS} ms`,
      }
    },
  }
}

/** How long a peer keeps its event loop from turning, by role, in a whole local swarm. */
export const rows = ['solver', 'evaluator', 'proposer', 'gateway'].map(row)
