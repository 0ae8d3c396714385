/** A network that Waggle knows by name. */
export interface KnownNetwork {
  readonly chainId: number
  /** Environment variable whose RPC URL goes before `defaultUrl`. It may hold a URL with an API key: it is never printed. */
  readonly urlVariable: string
  /** An endpoint that needs no account; an operator's own is better. */
  readonly defaultUrl: string
  /** Blocks that a reorganisation takes back at most, in ordinary running: what follows from a block waits for as many after it. */
  readonly reorganisedBlocks: number
  /** URL of a block explorer, without a slash at its end; null for a chain that has none. */
  readonly explorerUrl: string | null
  /** URL of a page that gives away coin of a test network. */
  readonly faucetUrl?: string
}

/** Names are those of `--network`, of a deployment's record and of its file. */
export const knownNetworks = {
  local: {
    chainId: 31337,
    urlVariable: 'WAGGLE_RPC_URL',
    defaultUrl: 'http://127.0.0.1:8545',
    // Anvil writes its state every second: a kill takes back what came since.
    reorganisedBlocks: 2,
    explorerUrl: null,
  },
  sepolia: {
    chainId: 11_155_111,
    urlVariable: 'SEPOLIA_RPC_URL',
    defaultUrl: 'https://ethereum-sepolia-rpc.publicnode.com',
    reorganisedBlocks: 3,
    explorerUrl: 'https://sepolia.etherscan.io',
    faucetUrl: 'https://cloud.google.com/application/web3/faucet/ethereum/sepolia',
  },
  gensynTestnet: {
    chainId: 685_685,
    urlVariable: 'GENSYN_TESTNET_RPC_URL',
    defaultUrl: 'https://gensyn-testnet.g.alchemy.com/public',
    // One sequencer, which takes blocks back only where it was restarted.
    reorganisedBlocks: 1,
    explorerUrl: 'https://gensyn-testnet.explorer.alchemy.com',
    faucetUrl: 'https://www.alchemy.com/faucets/gensyn-testnet',
  },
} as const satisfies Record<string, KnownNetwork>

/**
 * Blocks that a deployment's chain may take back: as many as on Ethereum where it is not known. A chain with the id of anvil under another
 * name than `local` is one of a test, which mines when it is told to.
 */
export function reorganisedBlocksOf({ network, chainId }: { network: string; chainId: number }): number {
  if (chainId === knownNetworks.local.chainId && network !== 'local') return 0
  const known = Object.values(knownNetworks).find(one => one.chainId === chainId)
  return (known ?? knownNetworks.sepolia).reorganisedBlocks
}
