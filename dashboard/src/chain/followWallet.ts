import { getConnection, reconnect, watchConnection } from '@wagmi/core'
import type { Chain } from './ChainProvider.tsx'
import { PHONE_WALLET, type WalletState } from './wallet.ts'

/**
 * Reports the wallet's account and chain, now and on changes, and reconnects to the wallet of the last visit.
 *
 * @returns a function that stops it.
 */
export function followWallet(chain: Chain, onChange: (wallet: WalletState) => void): () => void {
  // Not useSyncExternalStore(getConnection): it gives a new object each time, and React would loop.
  const unwatch = watchConnection(chain.config, { onChange })
  onChange(getConnection(chain.config))
  void rejoin(chain).catch(() => undefined)
  return unwatch
}

/** The code for phones is loaded only if the last wallet was on one. */
async function rejoin({ config, network }: Chain): Promise<void> {
  const recent = await config.storage?.getItem('recentConnectorId')
  if (recent !== PHONE_WALLET || network.walletRelay === null) {
    await reconnect(config)
    return
  }
  const { phoneWallet } = await import('./phoneWallet.ts')
  await reconnect(config, { connectors: [phoneWallet(network.walletRelay)] })
}
