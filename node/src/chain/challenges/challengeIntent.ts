import type { challengesAbi } from '@waggle/deployments/abi'
import { type ContractFunctionArgs, type ContractFunctionName, encodeFunctionData } from 'viem'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { Contracts } from '../contracts.ts'

type Write = ContractFunctionName<typeof challengesAbi, 'nonpayable' | 'payable'>
type Bounds = Partial<Pick<OutboxIntent, 'fromRound' | 'throughRound' | 'valueWei'>>

/**
 * A call to `Challenges` that is sent once.
 *
 * @param id - distinguishes it from other intended calls of the same function.
 */
export function challengeIntent<Name extends Write>(
  { challenges: { address, abi } }: Contracts,
  id: string,
  functionName: Name,
  args: ContractFunctionArgs<typeof challengesAbi, 'nonpayable' | 'payable', Name>,
  { fromRound = null, throughRound = null, ...value }: Bounds = {},
): OutboxIntent {
  // Encoding is typed by the union of all functions; the arguments are those of this one.
  const data = encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData>[0])
  return { key: `${functionName}:${id}`, to: address, data, fromRound, throughRound, ...value }
}
