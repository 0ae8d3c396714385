import { parseGwei } from 'viem'
import type { ChainReader } from './chain.ts'

/** The defaults of a peer's transactions: its `max-fee-gwei`, and what a first attempt offers at most of its `max-tip-gwei`. */
const [MAX_FEE_WEI, MAX_TIP_WEI] = [parseGwei('500'), parseGwei('2')]

/** As Ignition assumes where an endpoint suggests none. */
const NO_SUGGESTION_WEI = parseGwei('1')

/** By Ignition's names. */
interface IgnitionFees {
  readonly maxFeePerGasLimit: bigint
  readonly maxPriorityFeePerGas: bigint
  /** Of a chain without base fees: all of it goes to the block producer, as a tip does. */
  readonly gasPrice: bigint
}

/** Bounds of what a deployment pays for gas: an endpoint may suggest any tip, and all of it is paid. */
export async function boundedFees(chain: ChainReader): Promise<IgnitionFees> {
  const suggestedWei = await chain.tipWei().catch(() => NO_SUGGESTION_WEI)
  const tipWei = least(suggestedWei, MAX_TIP_WEI)
  return { maxFeePerGasLimit: MAX_FEE_WEI, maxPriorityFeePerGas: tipWei, gasPrice: tipWei }
}

/** `Math.min` takes no bigints. */
const least = (one: bigint, other: bigint) => (one < other ? one : other)
