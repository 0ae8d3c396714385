import { getConnection, reconnect, watchConnection } from '@wagmi/core'
import type { Chain } from './ChainProvider.tsx'
import { PHONE_WALLET, type WalletState } from './wallet.ts'

/**
 * Tells which account the wallet shows and on which chain it is, now and from now on, and connects again to the wallet of the last visit.
 *
 * @returns stops.
 */
export function followWallet(chain: Chain, onChange: (wallet: WalletState) => void): () => void {
  // Not useSyncExternalStore(getConnection): it gives a new object each time, and React would loop.
  const unwatch = watchConnection(chain.config, { onChange })
  onChange(getConnection(chain.config))
  void rejoin(chain).catch(() => undefined)
  return unwatch
}

/** What speaks to a phone is loaded only where the last wallet was one. */
async function rejoin({ config, network }: Chain): Promise<void> {
  const recent = await config.storage?.getItem('recentConnectorId')
  if (recent !== PHONE_WALLET || network.walletRelay === null) {
    await reconnect(config)
    return
  }
  const { phoneWallet } = await import('./phoneWallet.ts')
  await reconnect(config, { connectors: [phoneWallet(network.walletRelay)] })
}
