import type { predictionMarketAbi } from '@waggle/deployments/abi'
import { type ContractFunctionArgs, type ContractFunctionName, encodeFunctionData } from 'viem'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { MarketMissingError } from './chainErrors.ts'
import type { Contracts } from './contracts.ts'

type Write = ContractFunctionName<typeof predictionMarketAbi, 'nonpayable'>

/**
 * A call to the market that is sent once.
 *
 * @param id - tells this call from one with the same words that is meant as well, such as a second bet of the same size.
 */
export function marketIntent<Name extends Write>(
  contracts: Contracts,
  id: string,
  functionName: Name,
  args: ContractFunctionArgs<typeof predictionMarketAbi, 'nonpayable', Name>,
): OutboxIntent {
  const { address, abi } = requireMarket(contracts)
  // Encoding is typed by the union of all functions; the arguments are those of this one.
  const data = encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData>[0])
  return { key: `market:${functionName}:${id}`, to: address, data, fromRound: null, throughRound: null }
}

/** @throws {MarketMissingError} if the deployment has none. */
export function requireMarket({ predictionMarket }: Contracts): NonNullable<Contracts['predictionMarket']> {
  if (predictionMarket !== null) return predictionMarket
  throw new MarketMissingError('This deployment has no prediction market.', {
    hint: 'Name another deployment with --deployment or --network, or deploy the market there.',
  })
}
