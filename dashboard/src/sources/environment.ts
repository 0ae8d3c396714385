import { z } from 'zod'

const address = z.url().transform(url => url.replace(/\/+$/, ''))

const schema = z.object({
  /** Path of the deployment's record: chain id and contract addresses. */
  WAGGLE_DEPLOYMENT: z.string().min(1),
  WAGGLE_RPC_URL: address,
  WAGGLE_INDEXER_URL: address,
  WAGGLE_GATEWAY_URL: address,
  /** The operator's project at WalletConnect, or any text that the relay below accepts. Wallets on phones are offered if it is set. */
  WAGGLE_WALLETCONNECT_PROJECT: z.string().min(1),
  /** URL of a relay of the operator's own. */
  WAGGLE_WALLETCONNECT_RELAY: z.url({ protocol: /^wss?$/ }),
})

export interface Environment {
  deploymentPath: string | null
  rpcUrl: string | null
  indexerUrl: string | null
  gatewayUrl: string | null
  walletConnectProject: string | null
  walletConnectRelay: string | null
}

/**
 * The dashboard's sources, of which browsers see only the wallets' relay. Read at each request so that one build serves any deployment.
 * Missing and malformed values are null.
 */
export function readEnvironment(): Environment {
  const read = (name: keyof typeof schema.shape): string | null =>
    schema.shape[name].safeParse(process.env[name]).data ?? null
  return {
    deploymentPath: read('WAGGLE_DEPLOYMENT'),
    rpcUrl: read('WAGGLE_RPC_URL'),
    indexerUrl: read('WAGGLE_INDEXER_URL'),
    gatewayUrl: read('WAGGLE_GATEWAY_URL'),
    walletConnectProject: read('WAGGLE_WALLETCONNECT_PROJECT'),
    walletConnectRelay: read('WAGGLE_WALLETCONNECT_RELAY'),
  }
}
