import { setTimeout as delay } from 'node:timers/promises'
import { blockAt, type Chain, type KnownBlock } from './chain.ts'
import type { HeldIndex } from './readHeld.ts'
import { waitForFinality } from './waitForFinality.ts'

interface Checked {
  chainId: number
  /** The chain runs on this machine: what it lacks it has lost. An endpoint may be behind. */
  isLocal: boolean
  /** The final block that the index compared last. */
  watched: KnownBlock | null
  /** Time between two comparisons. */
  pauseMs?: number
}

/** Comparisons that must all fail, and the time between two: one answer of an endpoint does not cost an index. */
const TRIES = 3
const PAUSE_MS = 1_000

/**
 * Compares an index with the chain that it is to resume from. Ponder only compares the time of the final block: on a chain that was restored, or on another
 * branch, it would continue, and miss events or meet them twice.
 *
 * @returns why the index has to be built again; null if it fits.
 * @throws {Error} if the endpoint is behind the index, so that nothing can be said yet.
 */
export async function checkHeld(
  chain: Pick<Chain, 'getBlock'>,
  held: HeldIndex,
  { pauseMs = PAUSE_MS, ...where }: Checked,
): Promise<string | null> {
  for (let tried = 1; ; tried++) {
    const reason = await differenceOf(chain, held, where)
    if (reason === null || tried === TRIES) return reason
    await delay(pauseMs)
  }
}

const OTHER_BLOCKS = 'the chain has other blocks than it was built from'

async function differenceOf(
  chain: Pick<Chain, 'getBlock'>,
  { final, newest }: HeldIndex,
  { chainId, isLocal, watched }: Omit<Checked, 'pauseMs'>,
): Promise<string | null> {
  const reached = await waitForFinality(chain, chainId, final.timestampSec)
  for (const known of [newest, watched]) if (known !== null && (await isReplaced(chain, known))) return OTHER_BLOCKS
  if (reached) {
    const block = await blockAt(chain, final.number)
    return block !== null && Number(block.timestamp) === final.timestampSec ? null : OTHER_BLOCKS
  }
  if (isLocal || newest === null) return 'the chain went back behind blocks that were final'
  const { number } = await chain.getBlock()
  throw new Error(
    `the chain is at block ${number}, and block ${final.number} was final when the index was written: wait until the endpoint has caught up, or name another in WAGGLE_RPC_URL`,
  )
}

async function isReplaced(chain: Pick<Chain, 'getBlock'>, { number, hash }: KnownBlock): Promise<boolean> {
  const block = await blockAt(chain, number)
  return block !== null && block.hash !== hash
}
