import type { Bench } from '../../measure/bench.ts'
import type { BenchRow } from '../../measure/row.ts'
import { LARGE_ROUND, serveLargeSwarm } from './largeSwarm.ts'

const LOADS = 9

interface Loads {
  bytes: number
  medianMs: number
}

/** The page of a large round as a browser without a cache gets it, after two loads that are not counted. */
function loads(bench: Bench): Promise<Loads> {
  return bench.once('round page', async () => {
    const { url, stop } = await serveLargeSwarm()
    try {
      const times: number[] = []
      let bytes = 0
      for (let load = -2; load < LOADS; load++) {
        const startedMs = performance.now()
        const response = await fetch(`${url}/rounds/${LARGE_ROUND}`)
        bytes = (await response.arrayBuffer()).byteLength
        if (!response.ok) throw new Error(`the page answered ${response.status}`)
        if (load >= 0) times.push(performance.now() - startedMs)
      }
      return { bytes, medianMs: times.sort((a, b) => a - b)[Math.floor(LOADS / 2)] ?? 0 }
    } finally {
      await stop()
    }
  })
}

const conditions =
  'production build on loopback; 300 solvers, 40 seats and 8 problems, answered at once by small servers instead of indexer and gateway'

export const roundPageRows: readonly BenchRow[] = [
  {
    name: 'round-page-kb',
    unit: 'KB of HTML',
    bar: 150,
    better: 'less',
    measure: async bench => ({ value: (await loads(bench)).bytes / 1000, conditions: `uncompressed; ${conditions}` }),
  },
  {
    name: 'round-page-ms',
    unit: 'ms',
    bar: 300,
    better: 'less',
    measure: async bench => ({
      value: (await loads(bench)).medianMs,
      conditions: `median of ${LOADS} whole answers; ${conditions}`,
    }),
  },
]
