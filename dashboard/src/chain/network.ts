import type { Address } from 'viem'
import { browserStore } from './browserStore.ts'

/** What a browser needs to read the deployment from its chain, and to send to it. */
export interface Network {
  name: string
  chainId: number
  /** Where the chain is asked, for people: this server asks it for browsers. */
  rpcOrigin: string
  /** Of a block explorer, without a slash at its end; null if none is known. */
  explorerUrl: string | null
  /** Through which wallets on phones are asked; null if the operator set none. */
  walletRelay: WalletRelay | null
  peerRegistry: Address
  rounds: Address
  nectar: Address
  stakes: Address
  market: Address
  challenges: Address
}

/** How a browser remembers that its last wallet was on a phone. */
export const PHONE_WALLET = 'phone'

/** A relay of WalletConnect's protocol. */
export interface WalletRelay {
  projectId: string
  /** Null: WalletConnect's own. */
  url: string | null
}

/** Undefined while no wallet is connected. */
export interface WalletState {
  address?: Address | undefined
  chainId?: number | undefined
}

/** Where wagmi keeps which wallet was connected last. */
const RECENT_WALLET = 'wagmi.recentConnectorId'

/** Whether this browser connected a wallet in an earlier visit. */
export const hadWallet = (): boolean => browserStore.getItem(RECENT_WALLET) !== null
