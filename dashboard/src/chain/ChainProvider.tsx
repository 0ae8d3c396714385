'use client'

import type { Config } from '@wagmi/core'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react'
import type { Network } from '#sources/network.ts'
import type { RoundClock } from './roundClock.ts'
import { type Held, useAsServed, useHeld } from './useAsServed.ts'
import { watchRoundClock } from './watchRoundClock.ts'

/** Client of wallets and of contract reads. */
export interface Chain {
  config: Config
  network: Network
}

interface ChainAccess {
  /** Null if no deployment is set. */
  network: Network | null
  /** Null until it is opened. */
  chain: Chain | null
  /** Loads the wallet code, once; rejects if this server does not answer. */
  open: () => Promise<Chain>
}

const ChainContext = createContext<ChainAccess>({
  ...{ network: null, chain: null },
  open: () => Promise.reject(new Error('no deployment is set')),
})
const loading: RoundClock = { state: 'loading' }
const ClockContext = createContext<Held<RoundClock>>({ now: loading, first: loading })

/** The deployment's chain for every component below, and one watch of its round for all of them. */
export function ChainProvider({ network: first, children }: { network: Network | null; children: ReactNode }) {
  // A refreshed page brings an equal object, which must not restart the watch.
  const [network] = useState(first)
  const [chain, setChain] = useState<Chain | null>(null)
  const opening = useRef<Promise<Chain> | null>(null)
  const [clock, setClock] = useState<RoundClock>({ state: network === null ? 'unset' : 'loading' })
  useEffect(() => (network === null ? undefined : watchRoundClock(network, setClock)), [network])

  const heldClock = useHeld(clock)

  const open = useCallback(() => {
    opening.current ??= load(network).then(
      opened => {
        setChain(opened)
        return opened
      },
      cause => {
        opening.current = null
        throw cause
      },
    )
    return opening.current
  }, [network])

  return (
    <ChainContext value={{ network, chain, open }}>
      <ClockContext value={heldClock}>{children}</ClockContext>
    </ChainContext>
  )
}

/** A third of a page's code, loaded only to connect a wallet or to read a contract. */
async function load(network: Network | null): Promise<Chain> {
  if (network === null) throw new Error('no deployment is set')
  const { createChainConfig } = await import('./createChainConfig.ts')
  return { config: createChainConfig(network), network }
}

/** Null until a wallet is connected, or a component asked for `open`. */
export function useChain(): Chain | null {
  return useContext(ChainContext).chain
}

export function useChainAccess(): ChainAccess {
  return useContext(ChainContext)
}

export function useRoundClock(): RoundClock {
  return useAsServed(ClockContext)
}
