import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Bench } from '../../measure/bench.ts'
import type { BenchRow } from '../../measure/row.ts'
import { freeSwarmPorts } from '../../swarm/ports.ts'

const root = resolve(join(import.meta.dirname, '../../..'))
const CONDITIONS = 'npm run swarm in a fresh clone with its packages installed: contracts deployed, pages built'
const QUERY = '{ rounds(where: { settled_gt: 0 }, limit: 1) { items { number } } }'

interface ColdStart {
  readySec: number
  firstSettledSec: number
  /** Peers that the swarm started. */
  peers: number
}

/** A whole swarm from a fresh clone: seconds until the pages answer, and until a round has settled. */
function coldStart(bench: Bench): Promise<ColdStart> {
  return bench.once('cold start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'waggle-cold-'))
    const clone = join(folder, 'waggle')
    execFileSync('git', ['clone', '--quiet', root, clone])
    // Links: the packages are as npm left them, but for caches of earlier runs.
    execFileSync('cp', ['-al', join(root, 'node_modules'), join(clone, 'node_modules')])
    for (const cache of ['.cache', '.vite', '.vite-temp', '.vitest'])
      await rm(join(clone, 'node_modules', cache), { recursive: true, force: true })
    const ports = await freeSwarmPorts()
    const argv = ['scripts/swarm.ts', '--port', `${ports.dashboard}`, '--chain-port', `${ports.chain}`]
    const startedMs = performance.now()
    const seconds = () => (performance.now() - startedMs) / 1000
    const swarm = spawn(process.execPath, argv, { cwd: clone, stdio: ['ignore', 'pipe', 'pipe'] })
    try {
      await said(swarm, 'ready after')
      const readySec = seconds()
      bench.log(`ready after ${readySec.toFixed(1)} s`)
      while (!(await hasSettled(`http://127.0.0.1:${ports.dashboard + 2}`))) {
        if (swarm.exitCode !== null) throw new Error('the swarm ended before a round had settled')
        await delay(250)
      }
      return { readySec, firstSettledSec: seconds(), peers: readdirSync(join(clone, '.waggle/peers')).length }
    } finally {
      swarm.kill('SIGINT')
      if (swarm.exitCode === null) await new Promise(done => swarm.once('close', done))
      await rm(folder, { recursive: true, force: true })
    }
  })
}

function said(child: ChildProcess, text: string): Promise<void> {
  return new Promise((done, fail) => {
    let output = ''
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes(text)) done()
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('close', () => fail(new Error(`the swarm ended: ${output.slice(-2_000)}`)))
  })
}

async function hasSettled(indexerUrl: string): Promise<boolean> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ query: QUERY })
  const answer = await fetch(`${indexerUrl}/graphql`, { method: 'POST', headers, body }).catch(() => null)
  if (!answer?.ok) return false
  const { data } = (await answer.json()) as { data: { rounds: { items: unknown[] } } }
  return data.rounds.items.length > 0
}

export const coldStartRows: readonly BenchRow[] = [
  {
    ...{ name: 'ready-cold', unit: 's', bar: 75, better: 'less' },
    async measure(bench) {
      const { readySec, peers } = await coldStart(bench)
      return { value: readySec, conditions: `${CONDITIONS}, ${peers} peers; until the dashboard answers` }
    },
  },
  {
    ...{ name: 'first-settled-cold', unit: 's', bar: 150, better: 'less' },
    async measure(bench) {
      const { firstSettledSec, peers } = await coldStart(bench)
      const conditions = `${CONDITIONS}, ${peers} peers, rounds of 20 s; until the first round has settled`
      return { value: firstSettledSec, conditions }
    },
  },
]
