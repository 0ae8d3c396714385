import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { getPeerRecord } from '../../../dashboard/src/sources/getPeerRecord.ts'
import { getRoundRecord } from '../../../dashboard/src/sources/getRoundRecord.ts'
import { getStandings } from '../../../dashboard/src/sources/getStandings.ts'
import { deploymentRecord } from '../../../dashboard/test/fixtures/servers.ts'
import { TestIndexer } from '../../../indexer/test/testIndexer.ts'
import type { Bench } from '../../measure/bench.ts'
import type { BenchRow, Measured } from '../../measure/row.ts'
import { EVENTS, largeIndex, largePeers, PEERS } from './largeIndex.ts'
import { serveLoggedChain } from './loggedChain.ts'

const ASKED = 60
const WARM_UP = 5

/** Ends when the index has every event, and its tables their indexes, which it makes at the end of history; there is no limit but the index's own end. */
async function built(indexer: TestIndexer, tip: number): Promise<void> {
  for (;;) {
    if (indexer.process.exitCode !== null) throw new Error(`the indexer ended: ${indexer.log}`)
    const [ready, answer] = await Promise.all(
      ['ready', 'status'].map(path => fetch(`${indexer.url}/${path}`).catch(() => null)),
    )
    const status = answer?.ok ? ((await answer.json()) as { swarm?: { block: { number: number } } }) : {}
    if (ready?.ok && (status.swarm?.block.number ?? 0) >= tip) return
    await delay(500)
  }
}

/** The pages' own queries against a large index, of which the slowest counts. */
async function measured(bench: Bench, databaseUrl?: string): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-index-'))
  const { blocks, rounds } = largeIndex()
  const chain = await serveLoggedChain(deploymentRecord.chainId, blocks)
  const recordPath = join(folder, 'deployment.json')
  writeFileSync(recordPath, JSON.stringify(deploymentRecord))
  const startedMs = performance.now()
  const indexer = await TestIndexer.spawn({ recordPath, url: chain.url, databaseUrl }, join(folder, 'index'))
  try {
    await built(indexer, chain.tip)
    const builtSec = Math.round((performance.now() - startedMs) / 1000)
    bench.log(`${EVENTS} events indexed in ${builtSec} s`)
    process.env.WAGGLE_INDEXER_URL = indexer.url
    const queries = {
      leaderboard: (index: number) =>
        getStandings({ search: '', isWhole: index % 2 === 1, limit: 20, offset: 20 * index }),
      peer: (index: number) => getPeerRecord(largePeers[(index * 997) % PEERS]?.peerKey ?? ''),
      round: (index: number) => getRoundRecord(index % rounds, index % 19),
    }
    const p95s = new Map<string, number>()
    for (const [name, query] of Object.entries(queries)) p95s.set(name, await p95(query))
    const shown = [...p95s].map(([name, ms]) => `${name} ${ms.toFixed(1)}`).join(', ')
    return {
      value: Math.max(...p95s.values()),
      conditions: `slowest of the pages' own queries, p95 of ${ASKED} each, one after the other, in ms: ${shown}; ${PEERS} peers, ${EVENTS} events, indexed in ${builtSec} s`,
    }
  } finally {
    await indexer.end()
    chain.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function p95(query: (index: number) => Promise<{ state: string }>): Promise<number> {
  const times: number[] = []
  for (let index = -WARM_UP; index < ASKED; index++) {
    const startedMs = performance.now()
    const { state } = await query(index + WARM_UP)
    if (state !== 'ready') throw new Error(`the indexer is ${state}`)
    if (index >= 0) times.push(performance.now() - startedMs)
  }
  return times.sort((a, b) => a - b)[Math.ceil(ASKED * 0.95) - 1] ?? 0
}

const common = { unit: 'ms', bar: 50, better: 'less' } as const

export const graphqlRows: readonly BenchRow[] = [
  { name: 'graphql-p95-pglite', ...common, measure: bench => measured(bench) },
  {
    name: 'graphql-p95-postgres',
    ...common,
    async measure(bench) {
      const { DATABASE_URL } = process.env
      if (DATABASE_URL === undefined) return { value: null, conditions: 'DATABASE_URL names no Postgres to measure on' }
      return measured(bench, DATABASE_URL)
    },
  },
]
