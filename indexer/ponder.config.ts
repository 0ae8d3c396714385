import {
  challengesAbi,
  nectarAbi,
  openingsAbi,
  peerRegistryAbi,
  predictionMarketAbi,
  rewardVotesAbi,
  rolloutCommitmentsAbi,
  roundsAbi,
  stakesAbi,
  swarmCoordinatorAbi,
} from '@waggle/deployments/abi'
import { readDeployment } from '@waggle/deployments/record'
import { createConfig } from 'ponder'
import { readEnvironment } from './environment.ts'
import { ponderRpc } from './launch/quietHttp.ts'

const { deploymentPath, rpcUrl, indexFolder, databaseUrl, isLocal } = readEnvironment()
const { chainId, contracts } = readDeployment(deploymentPath)

export default createConfig({
  database:
    databaseUrl === undefined
      ? { kind: 'pglite', directory: `${indexFolder}/pglite` }
      : { kind: 'postgres', connectionString: databaseUrl },
  chains: {
    swarm: {
      id: chainId,
      rpc: ponderRpc(rpcUrl, isLocal),
      // 250 ms is a quarter of the local chain's block; public endpoints count requests.
      pollingInterval: isLocal ? 250 : 2_000,
      // The cache outlives a reset of a local chain and then answers for blocks that are gone.
      disableCache: isLocal,
    },
  },
  contracts: {
    PeerRegistry: { chain: 'swarm', abi: peerRegistryAbi, ...contracts.PeerRegistry },
    Rounds: { chain: 'swarm', abi: roundsAbi, ...contracts.Rounds },
    RolloutCommitments: { chain: 'swarm', abi: rolloutCommitmentsAbi, ...contracts.RolloutCommitments },
    RewardVotes: { chain: 'swarm', abi: rewardVotesAbi, ...contracts.RewardVotes },
    Challenges: { chain: 'swarm', abi: challengesAbi, ...contracts.Challenges },
    Openings: { chain: 'swarm', abi: openingsAbi, ...contracts.Openings },
    Nectar: { chain: 'swarm', abi: nectarAbi, ...contracts.Nectar },
    Stakes: { chain: 'swarm', abi: stakesAbi, ...contracts.Stakes },
    SwarmCoordinator: { chain: 'swarm', abi: swarmCoordinatorAbi, ...contracts.SwarmCoordinator },
    PredictionMarket: { chain: 'swarm', abi: predictionMarketAbi, ...contracts.PredictionMarket },
  },
})
