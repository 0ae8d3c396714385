import { splitUrls } from '@waggle/node/core/redactUrls'
import { z } from 'zod'

const address = z.url().transform(url => url.replace(/\/+$/, ''))

const schema = z.object({
  /** Path of the deployment's record: chain id and contract addresses. */
  WAGGLE_DEPLOYMENT: z.string().min(1),
  /** Endpoints of one chain, separated by commas. */
  WAGGLE_RPC_URL: z.string().transform(splitUrls).pipe(z.array(address).min(1)),
  WAGGLE_INDEXER_URL: address,
  WAGGLE_GATEWAY_URL: address,
  /** The operator's project at WalletConnect, or any text that the relay below accepts. Wallets on phones are offered if it is set. */
  WAGGLE_WALLETCONNECT_PROJECT: z.string().min(1),
  /** URL of a relay of the operator's own. */
  WAGGLE_WALLETCONNECT_RELAY: z.url({ protocol: /^wss?$/ }),
})

export interface Environment {
  deploymentPath: string | null
  /** In the order of preference; empty if the variable is missing, or one of its URLs is malformed. */
  rpcUrls: readonly string[]
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
  const { WAGGLE_RPC_URL, ...single } = schema.shape
  const read = (name: keyof typeof single): string | null => single[name].safeParse(process.env[name]).data ?? null
  return {
    deploymentPath: read('WAGGLE_DEPLOYMENT'),
    rpcUrls: WAGGLE_RPC_URL.safeParse(process.env.WAGGLE_RPC_URL).data ?? [],
    indexerUrl: read('WAGGLE_INDEXER_URL'),
    gatewayUrl: read('WAGGLE_GATEWAY_URL'),
    walletConnectProject: read('WAGGLE_WALLETCONNECT_PROJECT'),
    walletConnectRelay: read('WAGGLE_WALLETCONNECT_RELAY'),
  }
}
