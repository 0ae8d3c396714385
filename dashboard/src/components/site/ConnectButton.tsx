'use client'

import { lazy, Suspense, useState } from 'react'
import type { Chain } from '#chain/ChainProvider.tsx'

const ConnectDialog = lazy(() => import('./ConnectDialog.tsx'))

interface Props {
  /** Whether wallets on phones are available, so that the reader has to choose. */
  hasRelay: boolean
  open: () => Promise<Chain>
}

/** Connects the wallet of this browser, or one on a phone. Most readers connect none: the code of wallets is loaded by the click. */
export function ConnectButton({ hasRelay, open }: Props) {
  const [trouble, setTrouble] = useState<string | null>(null)
  const [isChoosing, setChoosing] = useState(false)

  async function askBrowser() {
    try {
      const [chain, { connectWallet }] = await Promise.all([open(), import('#chain/walletActions.ts')])
      setTrouble(await connectWallet(chain))
    } catch {
      setTrouble('The dashboard does not answer. Try again.')
    }
  }

  return (
    <span className="relative">
      <button
        type="button"
        className="rounded-full border-2 border-ink px-3 py-1 text-sm font-semibold sm:px-4 hover:bg-honey hover:text-night"
        onClick={() => (hasRelay ? setChoosing(true) : void askBrowser())}
      >
        Connect<span className="max-sm:sr-only"> account</span>
      </button>
      {isChoosing && (
        <Suspense fallback={null}>
          <ConnectDialog open={open} onClose={() => setChoosing(false)} />
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
