import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { knownNetworks } from '../../deployments/networks.ts'
import { connect } from '../swarm/chainFacts.ts'
import { keptPath } from '../swarm/keepChainState.ts'

/** Fewer than what a beacon waits for: a block may come between the reading and the kill. */
const LOST_BLOCKS = knownNetworks.sepolia.reorganisedBlocks - 1
const READ_EVERY_MS = 200

/**
 * Resolves when a kill of the chain loses no more blocks than its peers tolerate. The chain writes its state every second; on a busy machine
 * a write takes several. A kill may interrupt it, so that the last whole copy counts.
 */
export async function chainIsKept(rpcUrl: string, data: string, signal: AbortSignal): Promise<void> {
  const client = connect(rpcUrl)
  for (;;) {
    const kept = await keptBlock(keptPath(join(data, 'chain', 'state.json'))).catch(() => null)
    const head = await client.getBlockNumber({ cacheTime: 0 }).catch(() => null)
    if (kept !== null && head !== null && Number(head) - kept <= LOST_BLOCKS) return
    await sleep(READ_EVERY_MS, undefined, { signal })
  }
}

async function keptBlock(path: string): Promise<number> {
  const { block } = JSON.parse(await readFile(path, 'utf8')) as { block: { number: string } }
  return Number(block.number)
}
