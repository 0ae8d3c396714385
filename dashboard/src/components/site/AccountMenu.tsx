'use client'

import { useAccount } from '#chain/AccountProvider.tsx'
import { useChainAccess } from '#chain/ChainProvider.tsx'
import { shorten } from '#merge/format.ts'
import { ConnectButton } from './ConnectButton.tsx'

/** Loaded on demand: most readers connect no wallet. */
const actions = () => import('#chain/walletActions.ts')

export function AccountMenu() {
  const { network, chain, open } = useChainAccess()
  const { address, isElsewhere } = useAccount()
  if (network === null) return null
  if (chain !== null && address !== null) {
    return (
      <span className="flex items-center gap-2">
        <span className="figures text-sm" title={address}>
          {shorten(address)}
        </span>
        {isElsewhere && (
          <button
            type="button"
            className="rounded-full border-2 border-thorn px-3 py-1 text-sm font-semibold text-thorn"
            onClick={() => void actions().then(({ switchWallet }) => switchWallet(chain))}
          >
            Switch to {network.name}
          </button>
        )}
        <button
          type="button"
          className="min-h-6 text-sm text-soft underline"
          onClick={() => void actions().then(({ disconnectWallet }) => disconnectWallet(chain))}
        >
          Disconnect
        </button>
      </span>
    )
  }
  return <ConnectButton hasRelay={network.walletRelay !== null} open={open} />
}
