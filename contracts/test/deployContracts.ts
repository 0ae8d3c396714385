import type { HardhatViemHelpers } from '@nomicfoundation/hardhat-viem/types'
import { getContract, type Hex } from 'viem'
import {
  challengesAbi,
  nectarAbi,
  openingsAbi,
  peerRegistryAbi,
  rewardVotesAbi,
  rolloutCommitmentsAbi,
  roundsAbi,
  stakesAbi,
} from '../../deployments/abi.ts'

/** When the rounds of a test's clock begin and how long they last. */
export interface TestSchedule {
  readonly startsAtSec: number
  readonly roundSeconds: number
  /** First round whose seats are staked for; by default none that a test reaches. */
  readonly bootstrapRounds?: number
}

/** The least price of gas that a bond covers. */
export const MIN_GAS_PRICE_WEI = 10n ** 8n

/** The bond of a first appeal. */
export const FIRST_BOND_WEI = 10n ** 16n

/** Deploys the contracts from the first account, typed by the generated ABIs, not by build output. */
export async function deployContracts(
  viem: HardhatViemHelpers,
  { startsAtSec, roundSeconds, bootstrapRounds = 100_000 }: TestSchedule,
) {
  const [wallet] = await viem.getWalletClients()
  if (!wallet) throw new Error('the test network has no account')
  const client = { public: await viem.getPublicClient(), wallet }
  const admin = wallet.account.address
  const deploy = async (name: string, ...args: unknown[]): Promise<Hex> => {
    return (await viem.deployContract(name, args as never)).address
  }
  const environment: Hex = `0x${'e1'.repeat(32)}`
  const registry = await deploy('PeerRegistry', admin)
  const rounds = await deploy('Rounds', admin, startsAtSec, roundSeconds, environment)
  const stakesAddress = await deploy('Stakes', registry, rounds, bootstrapRounds)
  const commitments = await deploy('RolloutCommitments', registry, rounds, stakesAddress)
  const votes = await deploy('RewardVotes', admin, registry, rounds, commitments, stakesAddress)
  const challenges = await deploy('Challenges', votes, MIN_GAS_PRICE_WEI, FIRST_BOND_WEI)
  const openingsAddress = await deploy('Openings', votes)
  const nectar = await deploy('Nectar', registry, votes, openingsAddress)
  const stakes = getContract({ abi: stakesAbi, address: stakesAddress, client })
  await stakes.write.wire([nectar, votes, challenges, openingsAddress])
  return {
    client: client.public,
    chainId: await client.public.getChainId(),
    admin,
    registry: getContract({ abi: peerRegistryAbi, address: registry, client }),
    rounds: getContract({ abi: roundsAbi, address: rounds, client }),
    commitments: getContract({ abi: rolloutCommitmentsAbi, address: commitments, client }),
    votes: getContract({ abi: rewardVotesAbi, address: votes, client }),
    stakes,
    challenges: getContract({ abi: challengesAbi, address: challenges, client }),
    openings: getContract({ abi: openingsAbi, address: openingsAddress, client }),
    nectar: getContract({ abi: nectarAbi, address: nectar, client }),
  }
}
