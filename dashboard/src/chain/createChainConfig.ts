import { type Config, createConfig, http, injected } from '@wagmi/core'
import { defineChain } from 'viem'
import type { Network } from './network.ts'

/** One read of the chain may take this long; a page tells its reader after that. */
const TIMEOUT_MS = 4_000

/** On this server, which hands calls on. A wallet that is told of the chain needs the whole address; where pages are rendered, none is asked. */
const rpcUrl = () => (typeof window === 'undefined' ? '/rpc' : new URL('/rpc', window.location.href).href)

export function createChainConfig(network: Network): Config {
  const chain = defineChain({
    id: network.chainId,
    name: network.name,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl()] } },
  })
  return createConfig({
    chains: [chain],
    connectors: [injected()],
    transports: { [chain.id]: http(rpcUrl(), { timeout: TIMEOUT_MS, retryCount: 0 }) },
    ssr: true,
  })
}
