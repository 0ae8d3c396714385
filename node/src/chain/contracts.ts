import {
  challengesAbi,
  nectarAbi,
  openingsAbi,
  peerRegistryAbi,
  predictionMarketAbi,
  prgMarketAbi,
  rewardVotesAbi,
  rolloutCommitmentsAbi,
  roundsAbi,
  stakesAbi,
  swarmCoordinatorAbi,
  timelockControllerAbi,
} from '@waggle/deployments/abi'
import type { ContractName } from '@waggle/deployments/contractNames'
import { reorganisedBlocksOf } from '@waggle/deployments/networks'
import { type Deployment, firstBlock } from '@waggle/deployments/record'
import type { Abi } from 'viem'

/** ABI of every contract of a deployment. */
export const contractAbis = {
  TimelockController: timelockControllerAbi,
  Rounds: roundsAbi,
  PeerRegistry: peerRegistryAbi,
  Stakes: stakesAbi,
  RolloutCommitments: rolloutCommitmentsAbi,
  RewardVotes: rewardVotesAbi,
  Challenges: challengesAbi,
  Openings: openingsAbi,
  Nectar: nectarAbi,
  SwarmCoordinator: swarmCoordinatorAbi,
  PrgMarket: prgMarketAbi,
  PredictionMarket: predictionMarketAbi,
} as const satisfies Record<ContractName, Abi>

/** Address and ABI of every contract of a deployment, as viem's actions take them. */
export function contractsOf({ chainId, contracts, ...deployment }: Deployment) {
  return {
    chainId,
    /** Blocks that follow a block before it stays. */
    reorganisedBlocks: reorganisedBlocksOf({ chainId, ...deployment }),
    startBlock: firstBlock({ chainId, contracts, ...deployment }),
    peerRegistry: { address: contracts.PeerRegistry.address, abi: peerRegistryAbi },
    rounds: { address: contracts.Rounds.address, abi: roundsAbi },
    rolloutCommitments: { address: contracts.RolloutCommitments.address, abi: rolloutCommitmentsAbi },
    rewardVotes: { address: contracts.RewardVotes.address, abi: rewardVotesAbi },
    challenges: { address: contracts.Challenges.address, abi: challengesAbi },
    nectar: { address: contracts.Nectar.address, abi: nectarAbi },
    openings: { address: contracts.Openings.address, abi: openingsAbi },
    stakes: { address: contracts.Stakes.address, abi: stakesAbi },
    predictionMarket: { address: contracts.PredictionMarket.address, abi: predictionMarketAbi },
    prgMarket: { address: contracts.PrgMarket.address, abi: prgMarketAbi },
    swarmCoordinator: { address: contracts.SwarmCoordinator.address, abi: swarmCoordinatorAbi },
    timelock: { address: contracts.TimelockController.address, abi: timelockControllerAbi },
  } as const
}

export type Contracts = ReturnType<typeof contractsOf>

/** Every custom error that a call to a contract of a deployment can end with. */
export const contractErrors = Object.values(contractAbis)
  .flat()
  .filter(item => item.type === 'error')
