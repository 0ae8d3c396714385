import { type Config, createConfig, createStorage, http, injected } from '@wagmi/core'
import { defineChain } from 'viem'
import type { Network } from '#sources/network.ts'
import { browserStore } from './browserStore.ts'
import { TIMEOUT_MS } from './readRounds.ts'

/** Chain configuration for a browser. This server forwards calls; a wallet that adds the chain needs the absolute URL. */
export function createChainConfig(network: Network): Config {
  const rpcUrl = new URL('/rpc', window.location.href).href
  const chain = defineChain({
    id: network.chainId,
    name: network.name,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })
  return createConfig({
    chains: [chain],
    connectors: [injected()],
    storage: createStorage({ storage: browserStore }),
    transports: { [chain.id]: http(rpcUrl, { timeout: TIMEOUT_MS, retryCount: 0 }) },
  })
}
