'use client'

import { lazy, Suspense, useState } from 'react'
import type { Chain } from '#chain/ChainProvider.tsx'

/** Loaded when called for: most readers connect no wallet. */
const actions = () => import('#chain/walletActions.ts')
const ConnectDialog = lazy(() => import('./ConnectDialog.tsx'))

/** Connects the wallet of this browser; where the operator set a relay, the reader chooses between that and one on a phone. */
export function ConnectButton({ chain }: { chain: Chain }) {
  const [trouble, setTrouble] = useState<string | null>(null)
  const [isChoosing, setChoosing] = useState(false)
  const askBrowser = () => void actions().then(({ connectWallet }) => connectWallet(chain).then(setTrouble))
  return (
    <span className="relative">
      <button
        type="button"
        className="rounded-full border-2 border-ink px-3 py-1 text-sm font-semibold sm:px-4 hover:bg-honey hover:text-night"
        onClick={() => (chain.network.walletRelay === null ? askBrowser() : setChoosing(true))}
      >
        Connect<span className="max-sm:sr-only"> account</span>
      </button>
      {isChoosing && (
        <Suspense fallback={null}>
          <ConnectDialog chain={chain} onClose={() => setChoosing(false)} />
        </Suspense>
      )}
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
