import { connect, disconnect, getConnectors, switchChain } from '@wagmi/core'
import type { Chain } from './ChainProvider.tsx'

/**
 * Connects to the first wallet of this browser. That signs nothing: it tells which peers are the reader's.
 *
 * @returns why there is no account; null if there is one.
 */
export async function connectWallet({ config }: Chain): Promise<string | null> {
  let said = 'No wallet was found in this browser. Install one, or search for your account instead.'
  for (const connector of getConnectors(config)) {
    if (!(await connector.getProvider().catch(() => undefined))) continue
    try {
      await connect(config, { connector })
      return null
    } catch (cause) {
      const refused = cause instanceof Error && cause.name === 'UserRejectedRequestError'
      said = refused
        ? 'The wallet refused. Connect again and allow it to show its account.'
        : 'The wallet did not answer.'
    }
  }
  return said
}

export const disconnectWallet = ({ config }: Chain): Promise<void> => disconnect(config)

/** Asks the wallet to switch to the deployment's chain; a wallet that refuses stays where it is. */
export async function switchWallet({ config, network }: Chain): Promise<void> {
  await switchChain(config, { chainId: network.chainId }).catch(() => undefined)
}
