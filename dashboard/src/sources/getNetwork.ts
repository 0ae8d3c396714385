import { type KnownNetwork, knownNetworks } from '@waggle/deployments/networks'
import { readDeployment } from '@waggle/deployments/record'
import { originsOf } from '@waggle/node/core/redactUrls'
import { readEnvironment } from './environment.ts'
import type { Network } from './network.ts'

const known: Readonly<Record<string, KnownNetwork>> = knownNetworks

/** The deployment as the browser needs it; null if none is set or its record can't be read, which is logged. */
export function getNetwork(): Network | null {
  const { deploymentPath, rpcUrls, walletConnectProject, walletConnectRelay } = readEnvironment()
  if (deploymentPath === null || rpcUrls.length === 0) return null
  try {
    const { network, chainId, contracts } = readDeployment(deploymentPath)
    return {
      name: network,
      chainId,
      rpcOrigin: originsOf(rpcUrls.join()),
      explorerUrl: known[network]?.explorerUrl ?? null,
      walletRelay: walletConnectProject === null ? null : { projectId: walletConnectProject, url: walletConnectRelay },
      peerRegistry: contracts.PeerRegistry.address,
      rounds: contracts.Rounds.address,
      nectar: contracts.Nectar.address,
      stakes: contracts.Stakes.address,
      market: contracts.PredictionMarket.address,
      challenges: contracts.Challenges.address,
    }
  } catch (cause) {
    console.error(cause instanceof Error ? cause.message : cause)
    return null
  }
}
