import { blockAt, type Chain, type KnownBlock, steadyBlock } from './chain.ts'
import { finalityBlocks } from './waitForFinality.ts'

interface Watch {
  chainId: number
  /** The chain runs on this machine: a block that it lacks it has lost. An endpoint may be behind. */
  isLocal: boolean
  /** Told once, with the number of a block that was final and is another one now. */
  onChange: (blockNumber: bigint) => void
  /** Told of each final block that is compared from then on. */
  onWatch: (block: KnownBlock) => void
  /** Time between the reads of a block that is to be compared. */
  pauseMs?: number
}

/** Reads in a row that must find another block: an endpoint may give a false one. */
const DOUBTS = 2
const LOCAL_MS = 2_000
const PUBLIC_MS = 60_000

/**
 * Checks at intervals that a final block is still on the chain. Ponder would ask for ten minutes, every quarter of a second, for the
 * parents of blocks that are gone.
 *
 * @returns reads once; the timer does so by itself, without keeping the process alive.
 */
export function watchChain(
  chain: Pick<Chain, 'getBlock'>,
  { chainId, isLocal, onChange, onWatch, pauseMs }: Watch,
): () => Promise<void> {
  const depth = finalityBlocks(chainId)
  let known: KnownBlock | null = null
  let doubts = 0
  const poll = async () => {
    const tip = await chain.getBlock()
    if (known !== null && !(await holds(chain, known, isLocal))) {
      doubts += 1
      if (doubts === DOUBTS) onChange(known.number)
      return
    }
    doubts = 0
    if (tip.number > depth && (known === null || tip.number >= known.number + 2n * depth)) {
      const block = await steadyBlock(chain, tip.number - depth, isLocal, pauseMs)
      if (block === null) return
      known = { number: block.number, hash: block.hash }
      onWatch(known)
    }
  }
  // A chain that does not answer is Ponder's to wait for.
  setInterval(() => void poll().catch(() => {}), isLocal ? LOCAL_MS : PUBLIC_MS).unref()
  return poll
}

async function holds(chain: Pick<Chain, 'getBlock'>, { number, hash }: KnownBlock, isLocal: boolean) {
  const block = await blockAt(chain, number)
  return block === null ? !isLocal : block.hash === hash
}
