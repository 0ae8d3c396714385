'use client'

import { useState } from 'react'
import { useAccount } from '#chain/AccountProvider.tsx'
import { useChain } from '#chain/ChainProvider.tsx'
import { shorten } from '#merge/format.ts'

/** Loaded when they are called for: most readers connect no wallet. */
const actions = () => import('#chain/walletActions.ts')

export function AccountMenu() {
  const chain = useChain()
  const { address, isElsewhere } = useAccount()
  const [trouble, setTrouble] = useState<string | null>(null)
  if (chain === null) return null
  if (address !== null) {
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
            Switch to {chain.network.name}
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
  return (
    <span className="relative">
      <button
        type="button"
        className="rounded-full border-2 border-ink px-3 py-1 text-sm font-semibold sm:px-4 hover:bg-honey hover:text-night"
        onClick={() =>
          void actions()
            .then(({ connectWallet }) => connectWallet(chain))
            .then(setTrouble)
        }
      >
        Connect<span className="max-sm:sr-only"> account</span>
      </button>
      {trouble && (
        <p
          role="alert"
          className="absolute top-full right-0 z-10 mt-2 w-64 rounded-cell border border-line bg-comb p-3 text-sm shadow-lg"
        >
          {trouble}
        </p>
      )}
    </span>
  )
}
