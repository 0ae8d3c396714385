import { setTimeout as delay } from 'node:timers/promises'
import { BlockNotFoundError, createPublicClient } from 'viem'
import { originsOf } from '../../node/src/core/redactUrls.ts'
import { quietHttp } from './quietHttp.ts'

export type Chain = Awaited<ReturnType<typeof connectChain>>

/**
 * A client of the requested chain.
 *
 * @throws {Error} if the chain does not answer or has another id.
 */
export async function connectChain(rpcUrl: string, chainId: number) {
  const chain = createPublicClient({ transport: quietHttp(rpcUrl) })
  const origin = originsOf(rpcUrl)
  let found: number
  try {
    found = await chain.getChainId()
  } catch (cause) {
    throw new Error(`the chain at ${origin} does not answer: start it, or set WAGGLE_RPC_URL`, { cause })
  }
  if (found !== chainId)
    throw new Error(
      `the chain at ${origin} has id ${found}, the deployment is on ${chainId}: set WAGGLE_RPC_URL or WAGGLE_DEPLOYMENT`,
    )
  return chain
}

/** A block that the chain had. */
export interface KnownBlock {
  number: bigint
  hash: `0x${string}`
}

/** A block of the chain; null if it has none of that number. @throws {Error} if the answer is not that block. */
export async function blockAt(chain: Pick<Chain, 'getBlock'>, blockNumber: bigint) {
  try {
    const block = await chain.getBlock({ blockNumber })
    if (block.number !== blockNumber) throw new Error(`the endpoint did not answer with block ${blockNumber}`)
    return block
  } catch (error) {
    if (error instanceof BlockNotFoundError) return null
    throw error
  }
}

const STEADY_MS = 1_000
const MAX_READS = 8

/**
 * A block by whose hash an index is named, and dropped if that changes. An endpoint elsewhere may give a false one, so that two answers in a row must
 * agree.
 *
 * @throws {Error} if the endpoint gives another one each time.
 */
export async function steadyBlock(
  chain: Pick<Chain, 'getBlock'>,
  blockNumber: bigint,
  isLocal: boolean,
  pauseMs = STEADY_MS,
) {
  let block = await blockAt(chain, blockNumber)
  for (let read = 1; !isLocal; read++) {
    const before = block
    await delay(pauseMs)
    block = await blockAt(chain, blockNumber)
    if (block?.hash === before?.hash) break
    if (read === MAX_READS)
      throw new Error(`the endpoint names another block ${blockNumber} each time: check WAGGLE_RPC_URL`)
  }
  return block
}
