import { type ContractName, contractNames } from '@waggle/deployments/contractNames'
import type { Deployment } from '@waggle/deployments/record'
import type { Abi, ContractFunctionName, PublicClient } from 'viem'
import type { Clock } from '#core/clock.ts'
import { callChain } from '../callChain.ts'
import { ChainUnreachableError, ContractMissingError, WrongContractError } from '../chainErrors.ts'
import { clientOf } from '../clientOf.ts'
import { contractAbis } from '../contracts.ts'
import type { Endpoint } from './endpoint.ts'
import { requestOnce } from './requestOnce.ts'

/** A view without arguments for each contract, which no other one has. */
export const questions = {
  TimelockController: 'getMinDelay',
  Rounds: 'firstOpenRound',
  PeerRegistry: 'bootnodes',
  Stakes: 'bootstrapRounds',
  RolloutCommitments: 'MAX_TASKS',
  RewardVotes: 'MAX_MISSES',
  Challenges: 'MAX_LEVELS',
  Openings: 'SECRET_FAULT_MILLI',
  Nectar: 'totalSupply',
  SwarmCoordinator: 'uniqueVoters',
  PrgMarket: 'swarmCoordinator',
  PredictionMarket: 'gameCount',
} as const satisfies { [Name in ContractName]: ContractFunctionName<(typeof contractAbis)[Name], 'view' | 'pure'> }

/**
 * The endpoints, starting with one that has the contracts: an honest endpoint may follow one that lags behind the deployment or claims to.
 *
 * @throws {ContractMissingError | WrongContractError} of the first endpoint if none has them.
 */
export async function requireContracts(
  endpoints: readonly Endpoint[],
  deployment: Pick<Deployment, 'contracts'>,
  clock: Clock,
): Promise<Endpoint[]> {
  let missing: ContractMissingError | WrongContractError | undefined
  for (const endpoint of endpoints) {
    const ordered = [endpoint, ...endpoints.filter(other => other !== endpoint)]
    const rpc = clientOf(requestOnce(ordered, clock))
    try {
      await requireCode(rpc, endpoint.origin, deployment)
      await requireAnswers(rpc, endpoint.origin, deployment)
      return ordered
    } catch (error) {
      if (!(error instanceof ContractMissingError || error instanceof WrongContractError)) throw error
      missing ??= error
    }
  }
  throw missing
}

/** @throws {ContractMissingError} if the chain is not as long as the record says, or has nothing at one of its addresses. */
async function requireCode(rpc: PublicClient, origin: string, { contracts }: Pick<Deployment, 'contracts'>) {
  const codeOf = (name: ContractName) => rpc.getCode({ address: contracts[name].address })
  const [newest, codes] = await callChain(origin, () =>
    Promise.all([rpc.getBlockNumber(), Promise.all(contractNames.map(codeOf))]),
  )
  for (const [at, name] of contractNames.entries()) {
    const { address, startBlock } = contracts[name]
    if (codes[at] === undefined || codes[at] === '0x')
      throw new ContractMissingError(`There is no ${name} at ${address} on the chain at ${origin}.`, { hint: RESET })
    if (startBlock > newest)
      throw new ContractMissingError(
        `By the record, ${name} was deployed in block ${startBlock}; the newest block of the chain at ${origin} is ${newest}.`,
        { hint: RESET },
      )
  }
}

const RESET = 'The chain was reset or the record is stale: deploy again (npx hardhat deploy), or start with --fresh.'

/** @throws {WrongContractError} if another contract is at one of the record's addresses. */
async function requireAnswers(rpc: PublicClient, origin: string, { contracts }: Pick<Deployment, 'contracts'>) {
  const isWrong = async (name: ContractName) => {
    const { address } = contracts[name]
    const question = { address, abi: contractAbis[name] as Abi, functionName: questions[name] as string }
    try {
      await callChain(origin, () => rpc.readContract(question))
      return false
    } catch (error) {
      // Anything else is the contract's own refusal, which `requestOnce` has heard several times.
      if (error instanceof ChainUnreachableError) throw error
      return true
    }
  }
  const answers = await Promise.all(contractNames.map(isWrong))
  const wrong = contractNames.filter((_, at) => answers[at]).map(name => `${name} (${contracts[name].address})`)
  if (wrong.length > 0)
    throw new WrongContractError(
      `On the chain at ${origin}, these addresses hold other contracts: ${wrong.join(', ')}.`,
      {
        hint: "The record's addresses are mixed up or stale: take the record of this deployment, or deploy again (npx hardhat deploy).",
      },
    )
}
