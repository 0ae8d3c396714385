'use client'

import { connect, disconnect, getConnectors, switchChain } from '@wagmi/core'
import { useState } from 'react'
import { useAccount } from '#chain/AccountProvider.tsx'
import { type Chain, useChain } from '#chain/ChainProvider.tsx'
import { shorten } from '#merge/format.ts'

/** Connects to the first wallet of this browser. That signs nothing: it tells which peers are the reader's. */
async function connectFirst({ config }: Chain): Promise<string | null> {
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
            onClick={() => void switchChain(chain.config, { chainId: chain.network.chainId }).catch(() => undefined)}
          >
            Switch to {chain.network.name}
          </button>
        )}
        <button
          type="button"
          className="min-h-6 text-sm text-soft underline"
          onClick={() => void disconnect(chain.config)}
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
        onClick={() => void connectFirst(chain).then(setTrouble)}
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
