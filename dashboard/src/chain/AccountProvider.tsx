'use client'

import { getConnection, reconnect, watchConnection } from '@wagmi/core'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import type { Address } from 'viem'
import { type Chain, useChain } from './ChainProvider.tsx'
import { PHONE_WALLET } from './network.ts'
import type { OwnPeer } from './readOwnPeers.ts'

export interface Account {
  address: Address | null
  /** Whether its wallet is on another chain than the deployment's. */
  isElsewhere: boolean
  /** Null while they are read, or when the chain does not answer. */
  peers: OwnPeer[] | null
}

const AccountContext = createContext<Account>({ address: null, isElsewhere: false, peers: null })

/** The wallet's account, and its peers as PeerRegistry has them. */
export function AccountProvider({ children }: { children: ReactNode }) {
  const chain = useChain()
  const [address, setAddress] = useState<Address | null>(null)
  const [walletChain, setWalletChain] = useState<number | null>(null)
  const [peers, setPeers] = useState<OwnPeer[] | null>(null)

  useEffect(() => {
    if (chain === null) return
    // Not useSyncExternalStore(getConnection): it gives a new object each time, and React would loop.
    const show = ({ address, chainId }: { address?: Address | undefined; chainId?: number | undefined }) => {
      setAddress(address ?? null)
      setWalletChain(chainId ?? null)
    }
    const unwatch = watchConnection(chain.config, { onChange: show })
    show(getConnection(chain.config))
    void rejoin(chain).catch(() => undefined)
    return unwatch
  }, [chain])

  useEffect(() => {
    setPeers(null)
    if (chain === null || address === null) return
    let current = true
    const show = (own: OwnPeer[]) => {
      if (current) setPeers(own)
    }
    import('./readOwnPeers.ts')
      .then(({ readOwnPeers }) => readOwnPeers(chain.config, chain.network, address))
      .then(show, () => undefined)
    return () => {
      current = false
    }
  }, [chain, address])

  const isElsewhere = walletChain !== null && walletChain !== chain?.network.chainId
  return <AccountContext value={{ address, isElsewhere, peers }}>{children}</AccountContext>
}

/** Connects again to the wallet of the last visit. What speaks to a phone is loaded only where it was one. */
async function rejoin({ config, network }: Chain): Promise<void> {
  const recent = await config.storage?.getItem('recentConnectorId')
  if (recent !== PHONE_WALLET || network.walletRelay === null) {
    await reconnect(config)
    return
  }
  const { phoneWallet } = await import('./phoneWallet.ts')
  await reconnect(config, { connectors: [phoneWallet(network.walletRelay)] })
}

export function useAccount(): Account {
  return useContext(AccountContext)
}
