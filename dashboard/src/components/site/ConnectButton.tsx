'use client'

import { useRef, useState } from 'react'
import type { Chain } from '#chain/ChainProvider.tsx'
import { PhoneLink } from './PhoneLink.tsx'

/** Loaded when called for: most readers connect no wallet. */
const actions = () => import('#chain/walletActions.ts')

const choiceStyle = 'w-full rounded-full border-2 border-ink px-4 py-2 font-semibold hover:bg-honey hover:text-night'

/** Connects the wallet of this browser; where the operator set a relay, the reader chooses between that and one on a phone. */
export function ConnectButton({ chain }: { chain: Chain }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [trouble, setTrouble] = useState<string | null>(null)
  const [link, setLink] = useState<string | null>(null)
  const [isAsking, setAsking] = useState(false)
  const hasPhones = chain.network.walletRelay !== null

  const askBrowser = () => void actions().then(({ connectWallet }) => connectWallet(chain).then(setTrouble))
  async function askPhone() {
    setTrouble(null)
    setAsking(true)
    const { connectPhone } = await actions()
    setTrouble(await connectPhone(chain, setLink))
    setLink(null)
    setAsking(false)
  }

  return (
    <span className="relative">
      <button
        type="button"
        className="rounded-full border-2 border-ink px-3 py-1 text-sm font-semibold sm:px-4 hover:bg-honey hover:text-night"
        onClick={() => (hasPhones ? dialog.current?.showModal() : askBrowser())}
      >
        Connect<span className="max-sm:sr-only"> account</span>
      </button>
      {hasPhones && (
        <dialog
          ref={dialog}
          aria-labelledby="connect"
          className="m-auto w-80 max-w-[calc(100vw-2rem)] rounded-cell border border-line bg-comb p-5 text-ink backdrop:bg-night/60"
        >
          <div className="flex items-baseline justify-between">
            <h2 id="connect" className="text-xl">
              Connect an account
            </h2>
            <button type="button" className="min-h-6 text-sm underline" onClick={() => dialog.current?.close()}>
              Close
            </button>
          </div>
          <div className="mt-4 flex flex-col gap-3">
            <button type="button" className={choiceStyle} onClick={askBrowser}>
              A wallet in this browser
            </button>
            {link === null ? (
              <button type="button" className={choiceStyle} disabled={isAsking} onClick={() => void askPhone()}>
                {isAsking ? 'Asking the relay' : 'A wallet on a phone'}
              </button>
            ) : (
              <PhoneLink link={link} />
            )}
          </div>
          <Said trouble={trouble} className="mt-4 text-sm text-thorn" />
        </dialog>
      )}
      {!hasPhones && (
        <Said
          trouble={trouble}
          className="absolute top-full right-0 z-10 mt-2 w-64 rounded-cell border border-line bg-comb p-3 text-sm shadow-lg"
        />
      )}
    </span>
  )
}

function Said({ trouble, className }: { trouble: string | null; className: string }) {
  if (trouble === null) return null
  return (
    <p role="alert" className={className}>
      {trouble}
    </p>
  )
}
