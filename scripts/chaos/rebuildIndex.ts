import { join } from 'node:path'
import { createTestClient, http } from 'viem'
import { connect } from '../swarm/chainFacts.ts'
import { startIndexer } from '../swarm/indexer.ts'
import type { Managed } from '../swarm/processes/supervisor.ts'
import { waitFor } from '../swarm/waitFor.ts'
import type { ChaosSwarm } from './chaosSwarm.ts'
import { indexDifferences, readWholeIndex } from './compareIndexes.ts'

const REACH_MS = 180_000

/**
 * Compares the index of the run with one built from scratch, both at the last block of the stopped chain.
 *
 * @returns what differs; empty if they are equal.
 */
export async function indexFaults(swarm: ChaosSwarm, data: string, signal: AbortSignal): Promise<string[]> {
  const { supervisor, rpcUrl, deploymentPath, ports } = swarm
  const lived = swarm.running.get('indexer')
  if (lived === undefined) return ['the indexer is not up']
  const chain = createTestClient({ mode: 'anvil', transport: http(rpcUrl) })
  await chain.setIntervalMining({ interval: 0 })
  const head = Number(await connect(rpcUrl).getBlockNumber())
  await reach(lived, ports.indexer, head, signal)
  await lived.stop()
  const fresh = join(data, 'fresh')
  const env = { WAGGLE_DEPLOYMENT: deploymentPath, WAGGLE_RPC_URL: rpcUrl }
  const built = await startIndexer(supervisor, { port: ports.indexer, data: fresh, env }, () => {}, signal)
  await reach(built, ports.indexer, head, signal)
  await built.stop()
  return indexDifferences(await readWholeIndex(join(data, 'index')), await readWholeIndex(join(fresh, 'index')))
}

function reach(indexer: Managed, port: number, head: number, signal: AbortSignal): Promise<void> {
  const isThere = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/status`, { signal: AbortSignal.timeout(2_000) })
    const status = (await response.json()) as { swarm?: { block: { number: number } } }
    return (status.swarm?.block.number ?? -1) >= head
  }
  return waitFor(indexer, isThere, REACH_MS, signal)
}
