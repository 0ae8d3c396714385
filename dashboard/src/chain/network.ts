import type { Address } from 'viem'

/** What a browser needs to read the deployment from its chain. */
export interface Network {
  name: string
  chainId: number
  rpcUrl: string
  peerRegistry: Address
  rounds: Address
}
