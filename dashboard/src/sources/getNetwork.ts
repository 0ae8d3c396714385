import { readDeployment } from '@waggle/deployments/record'
import type { Network } from '#chain/network.ts'
import { readEnvironment } from './environment.ts'

/** The deployment as the browser needs it; null where none is set or its record can't be read, which is logged. */
export function getNetwork(): Network | null {
  const { deploymentPath, rpcUrl } = readEnvironment()
  if (deploymentPath === null || rpcUrl === null) return null
  try {
    const { network, chainId, contracts } = readDeployment(deploymentPath)
    return {
      name: network,
      chainId,
      rpcUrl,
      peerRegistry: contracts.PeerRegistry.address,
      rounds: contracts.Rounds.address,
    }
  } catch (cause) {
    console.error(cause instanceof Error ? cause.message : cause)
    return null
  }
}
