import type { predictionMarketAbi } from '@waggle/deployments/abi'
import { type ContractFunctionArgs, type ContractFunctionName, encodeFunctionData } from 'viem'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { Contracts } from '../contracts.ts'

type Write = ContractFunctionName<typeof predictionMarketAbi, 'nonpayable'>

/** How the outbox's keys of all calls of a function begin. */
export const marketKeys = (functionName: Write): string => `market:${functionName}:`

/**
 * A call to the market that is sent once.
 *
 * @param id - distinguishes the call from another intended one with the same arguments, such as a second bet of the same size.
 */
export function marketIntent<Name extends Write>(
  contracts: Contracts,
  id: string,
  functionName: Name,
  args: ContractFunctionArgs<typeof predictionMarketAbi, 'nonpayable', Name>,
): OutboxIntent {
  const { address, abi } = contracts.predictionMarket
  // Encoding is typed by the union of all functions; the arguments are those of this one.
  const data = encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData>[0])
  return { key: `${marketKeys(functionName)}${id}`, to: address, data, fromRound: null, throughRound: null }
}
