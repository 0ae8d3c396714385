import type { Address } from 'viem'
import { browserStore } from './browserStore.ts'

/** Storage key that records that the last wallet was on a phone. */
export const PHONE_WALLET = 'phone'

/** Undefined while no wallet is connected. */
export interface WalletState {
  address?: Address | undefined
  chainId?: number | undefined
}

/** Storage key in which wagmi keeps the last connected wallet. */
const RECENT_WALLET = 'wagmi.recentConnectorId'

/** Whether this browser connected a wallet in an earlier visit. */
export const hadWallet = (): boolean => browserStore.getItem(RECENT_WALLET) !== null
