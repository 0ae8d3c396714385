'use client'

import { useEffect, useRef, useState } from 'react'
import type { Chain } from '#chain/ChainProvider.tsx'
import { connectPhone, connectWallet } from '#chain/walletActions.ts'
import { PhoneLink } from './PhoneLink.tsx'

const NO_ANSWER = 'The dashboard does not answer. Try again.'
const choiceStyle = 'w-full rounded-full border-2 border-ink px-4 py-2 font-semibold hover:bg-honey hover:text-night'

interface Props {
  open: () => Promise<Chain>
  onClose: () => void
}

/** Asks where the reader's wallet is. */
export default function ConnectDialog({ open, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [trouble, setTrouble] = useState<string | null>(null)
  const [link, setLink] = useState<string | null>(null)
  const [isAsking, setAsking] = useState(false)
  useEffect(() => dialog.current?.showModal(), [])

  async function askBrowser() {
    setTrouble(await open().then(connectWallet, () => NO_ANSWER))
  }

  async function askPhone() {
    setTrouble(null)
    setAsking(true)
    setTrouble(
      await open().then(
        chain => connectPhone(chain, setLink),
        () => NO_ANSWER,
      ),
    )
    setLink(null)
    setAsking(false)
  }

  return (
    <dialog
      ref={dialog}
      onClose={onClose}
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
        <button type="button" className={choiceStyle} onClick={() => void askBrowser()}>
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
      {trouble && (
        <p role="alert" className="mt-4 text-sm text-thorn">
          {trouble}
        </p>
      )}
    </dialog>
  )
}
