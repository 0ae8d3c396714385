/** What deploying to a network needs to know before it asks the chain anything. */
export interface NetworkPreset {
  readonly chainId: number
  /** Environment variable that overrides `defaultUrl`. It may hold a URL with an API key: it is never printed. */
  readonly urlVariable: string
  readonly defaultUrl: string
  /** Length of a round unless `--round-seconds` says otherwise. */
  readonly roundSeconds: number
  /** Blocks on top of a transaction before it counts: a public chain may reorganise, a local one does not. */
  readonly confirmations: number
  readonly blockPollingMs: number
}

/** Holds the deployer's private key, in the environment or in Hardhat's keystore. */
export const KEY_VARIABLE = 'WAGGLE_DEPLOYER_KEY'

/** Private key of anvil's first account ("test test … junk"): public knowledge, worth nothing outside local chains. */
export const LOCAL_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

/** Names are those of `--network`. */
export const NETWORKS: Readonly<Record<string, NetworkPreset>> = {
  local: {
    chainId: 31337,
    urlVariable: 'WAGGLE_RPC_URL',
    defaultUrl: 'http://127.0.0.1:8545',
    roundSeconds: 20,
    confirmations: 1,
    blockPollingMs: 200,
  },
  sepolia: {
    chainId: 11_155_111,
    urlVariable: 'SEPOLIA_RPC_URL',
    defaultUrl: 'https://ethereum-sepolia-rpc.publicnode.com',
    roundSeconds: 600,
    confirmations: 2,
    blockPollingMs: 2_000,
  },
  gensynTestnet: {
    chainId: 685_685,
    urlVariable: 'GENSYN_TESTNET_RPC_URL',
    defaultUrl: 'https://gensyn-testnet.g.alchemy.com/public',
    roundSeconds: 600,
    confirmations: 2,
    blockPollingMs: 1_000,
  },
}
