'use client'

import { createContext, type ReactNode, useEffect, useState } from 'react'
import type { Address } from 'viem'
import { useChainAccess } from './ChainProvider.tsx'
import type { OwnPeers } from './readOwnPeers.ts'
import { readUntilAnswered } from './readUntilAnswered.ts'
import { useTransactions } from './TransactionProvider.tsx'
import { type Held, useAsServed, useHeld } from './useAsServed.ts'
import { hadWallet, type WalletState } from './wallet.ts'

export interface Account {
  address: Address | null
  /** Whether its wallet is on another chain than the deployment's. */
  isElsewhere: boolean
  /** Null while they are loading, or if the chain does not answer. */
  peers: OwnPeers | null
}

const nobody: Account = { address: null, isElsewhere: false, peers: null }
const AccountContext = createContext<Held<Account>>({ now: nobody, first: nobody })

/** The wallet's account, and its peers in PeerRegistry. */
export function AccountProvider({ children }: { children: ReactNode }) {
  const { network, chain, open } = useChainAccess()
  const [address, setAddress] = useState<Address | null>(null)
  const [walletChain, setWalletChain] = useState<number | null>(null)
  const [peers, setPeers] = useState<OwnPeers | null>(null)
  const { minedCount } = useTransactions()

  useEffect(() => {
    if (network !== null && hadWallet()) return readUntilAnswered(open, () => undefined)
  }, [network, open])

  useEffect(() => {
    if (chain === null) return
    let unwatch = () => {}
    const show = ({ address, chainId }: WalletState) => {
      setAddress(address ?? null)
      setWalletChain(chainId ?? null)
    }
    const stop = readUntilAnswered(
      () => import('./followWallet.ts'),
      ({ followWallet }) => {
        unwatch = followWallet(chain, show)
      },
    )
    return () => {
      stop()
      unwatch()
    }
  }, [chain])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another account has other peers, also before they are read.
  useEffect(() => setPeers(null), [chain, address])

  // biome-ignore lint/correctness/useExhaustiveDependencies: an own transaction registers a peer, or moves one here.
  useEffect(() => {
    if (chain === null || address === null) return
    return readUntilAnswered(async () => {
      const { readOwnPeers } = await import('./readOwnPeers.ts')
      return readOwnPeers(chain.config, chain.network, address)
    }, setPeers)
  }, [chain, address, minedCount])

  const isElsewhere = walletChain !== null && walletChain !== network?.chainId
  const held = useHeld({ address, isElsewhere, peers })
  return <AccountContext value={held}>{children}</AccountContext>
}

export function useAccount(): Account {
  return useAsServed(AccountContext)
}
