'use client'

import type { Config } from '@wagmi/core'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { createChainConfig } from './createChainConfig.ts'
import type { Network } from './network.ts'
import type { RoundClock } from './roundClock.ts'
import { watchRoundClock } from './watchRoundClock.ts'

export interface Chain {
  config: Config
  network: Network
}

const ChainContext = createContext<Chain | null>(null)
const ClockContext = createContext<RoundClock>({ state: 'loading' })

/** The deployment's chain for every component below, and one watch of its round for all of them. */
export function ChainProvider({ network, children }: { network: Network | null; children: ReactNode }) {
  const [chain] = useState<Chain | null>(() => network && { config: createChainConfig(network), network })
  const [clock, setClock] = useState<RoundClock>({ state: chain === null ? 'unset' : 'loading' })
  useEffect(() => (chain === null ? undefined : watchRoundClock(chain.config, chain.network, setClock)), [chain])
  return (
    <ChainContext value={chain}>
      <ClockContext value={clock}>{children}</ClockContext>
    </ChainContext>
  )
}

/** Null where no deployment is set. */
export function useChain(): Chain | null {
  return useContext(ChainContext)
}

export function useRoundClock(): RoundClock {
  return useContext(ClockContext)
}
