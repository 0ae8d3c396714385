import { type Config, getConnection, reconnect, watchConnection } from '@wagmi/core'
import type { Chain } from './ChainProvider.tsx'
import { PHONE_WALLET, type WalletState } from './wallet.ts'

/** A wallet that reconnects takes well under a second; a locked one waits for its reader. */
const PATIENCE_MS = 20_000

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

/**
 * Waits until the wallet of the last visit has reconnected or is given up. Until then its account is known, but it signs nothing.
 *
 * @returns whether it is settled; false after `PATIENCE_MS`.
 */
export function untilSettled(config: Config): Promise<boolean> {
  const isSettled = () => !/^(re)?connecting$/.test(getConnection(config).status)
  if (isSettled()) return Promise.resolve(true)
  return new Promise(resolve => {
    const end = (settled: boolean) => {
      clearTimeout(timer)
      unwatch()
      resolve(settled)
    }
    const timer = setTimeout(() => end(false), PATIENCE_MS)
    const unwatch = watchConnection(config, { onChange: () => isSettled() && end(true) })
  })
}
