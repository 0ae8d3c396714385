import type { Address } from 'viem'

/** Settings that a browser needs to read the deployment from its chain, and to send to it. */
export interface Network {
  name: string
  chainId: number
  /** Origins of the chain's endpoints, for display: this server forwards browsers' calls. */
  rpcOrigin: string
  /** URL of a block explorer, without a slash at its end; null if none is known. */
  explorerUrl: string | null
  /** Relay for wallets on phones; null if the operator set none. */
  walletRelay: WalletRelay | null
  peerRegistry: Address
  rounds: Address
  nectar: Address
  stakes: Address
  market: Address
  challenges: Address
}

/** A relay of WalletConnect's protocol. */
export interface WalletRelay {
  projectId: string
  /** Null: WalletConnect's own. */
  url: string | null
}
