import { type Connector, type CreateConnectorFn, connect, disconnect, getConnectors, switchChain } from '@wagmi/core'
import type { Chain } from './ChainProvider.tsx'
import { untilSettled } from './followWallet.ts'

/**
 * Connects to the first wallet of this browser. Nothing is signed: the account only identifies the reader's peers.
 *
 * @returns why there is no account; null if there is one.
 */
export async function connectWallet(chain: Chain): Promise<string | null> {
  let said: string | null = 'No wallet was found in this browser. Install one, or search for your account instead.'
  for (const connector of getConnectors(chain.config)) {
    if (!(await connector.getProvider().catch(() => undefined))) continue
    said = await connectTo(chain, connector)
    if (said === null) break
  }
  return said
}

/**
 * Connects to a wallet behind the deployment's relay.
 *
 * @param onLink - is given the link that the wallet scans or opens.
 * @returns why there is no account; null if there is one.
 */
export async function connectPhone(chain: Chain, onLink: (link: string) => void): Promise<string | null> {
  const relay = chain.network.walletRelay
  if (relay === null) return 'This dashboard has no relay for phone wallets.'
  const { phoneWallet } = await import('./phoneWallet.ts')
  return connectTo(chain, phoneWallet(relay, onLink))
}

async function connectTo({ config }: Chain, connector: Connector | CreateConnectorFn): Promise<string | null> {
  try {
    await connect(config, { connector })
    return null
  } catch (cause) {
    return cause instanceof Error && cause.name === 'UserRejectedRequestError'
      ? 'The wallet refused. Connect again and allow it to show its account.'
      : 'The wallet did not answer.'
  }
}

/** The next visit connects to no wallet, and loads no wallet code. */
export async function disconnectWallet({ config }: Chain): Promise<void> {
  await disconnect(config)
  await config.storage?.removeItem('recentConnectorId')
}

/** Asks the wallet to switch to the deployment's chain; a refusal is ignored. */
export async function switchWallet({ config, network }: Chain): Promise<void> {
  await untilSettled(config)
  await switchChain(config, { chainId: network.chainId }).catch(() => undefined)
}
