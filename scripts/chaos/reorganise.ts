import { setTimeout as sleep } from 'node:timers/promises'
import { knownNetworks } from '../../deployments/networks.ts'

/** As deep as what a beacon waits for. */
const DEPTH = knownNetworks.sepolia.reorganisedBlocks

/** Seconds of blocks that the chain must have had since its start: it cannot take back what it read from disk. */
const RIPE_MS = 10_000
const FAILED_MS = 5_000

/**
 * Takes back the newest blocks of the chain once, with all that is in them, and puts empty ones in their place.
 *
 * @returns the depth, in blocks, once the chain has done it; a chain that is down or was just started is asked again.
 */
export async function reorganise(rpcUrl: string, signal: AbortSignal): Promise<number> {
  await sleep(RIPE_MS, undefined, { signal })
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_reorg', params: [DEPTH, []] })
  const headers = { 'content-type': 'application/json' }
  for (;;) {
    const answer = await fetch(rpcUrl, { method: 'POST', body, headers, signal })
      .then(response => response.json() as Promise<{ error?: unknown }>)
      .catch(error => ({ error }))
    if (answer.error === undefined) return DEPTH
    await sleep(FAILED_MS, undefined, { signal })
  }
}
