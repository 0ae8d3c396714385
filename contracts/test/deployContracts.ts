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
import { constructorArguments, type Made, stakesWiring } from '../../scripts/deploy/constructorArguments.ts'

/** When the rounds of a test's clock begin and how long they last. */
interface TestSchedule {
  readonly startsAtSec: number
  readonly roundSeconds: number
  /** First round whose seats are staked for; by default none that a test reaches. */
  readonly bootstrapRounds?: number
  /** Hash of the environment's specification. */
  readonly environmentHash?: Hex
}

/** All contracts but the timelock, `PrgMarket` and the market. */
const NAMES = [
  'Rounds',
  'PeerRegistry',
  'Stakes',
  'RolloutCommitments',
  'RewardVotes',
  'Challenges',
  'Openings',
  'Nectar',
] as const

/** Deploys the contracts from the first account, typed by the generated ABIs, not by build output. */
export async function deployContracts(
  viem: HardhatViemHelpers,
  { startsAtSec, roundSeconds, bootstrapRounds = 100_000, environmentHash = `0x${'e1'.repeat(32)}` }: TestSchedule,
) {
  const [wallet] = await viem.getWalletClients()
  if (!wallet) throw new Error('the test network has no account')
  const client = { public: await viem.getPublicClient(), wallet }
  const admin = wallet.account.address
  const schedule = { startsAtSec, roundSeconds, bootstrapRounds, environmentHash }
  const terms = { ...schedule, deployer: admin, keeper: admin, timelockSeconds: 0, blockSeconds: 1 }
  const made = {} as Made<Hex>
  for (const name of NAMES) {
    made[name] = (await viem.deployContract(name, constructorArguments[name](made, terms) as never)).address
  }
  const stakes = getContract({ abi: stakesAbi, address: made.Stakes, client })
  await stakes.write.wire(stakesWiring(made))
  return {
    client: client.public,
    chainId: await client.public.getChainId(),
    admin,
    registry: getContract({ abi: peerRegistryAbi, address: made.PeerRegistry, client }),
    rounds: getContract({ abi: roundsAbi, address: made.Rounds, client }),
    commitments: getContract({ abi: rolloutCommitmentsAbi, address: made.RolloutCommitments, client }),
    votes: getContract({ abi: rewardVotesAbi, address: made.RewardVotes, client }),
    stakes,
    challenges: getContract({ abi: challengesAbi, address: made.Challenges, client }),
    openings: getContract({ abi: openingsAbi, address: made.Openings, client }),
    nectar: getContract({ abi: nectarAbi, address: made.Nectar, client }),
  }
}
