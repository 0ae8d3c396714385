'use client'

import { type ReactNode, useState } from 'react'

interface Props {
  /** Whether this button or a neighbour is waiting for the wallet or the chain. */
  isBusy: boolean
  isOff?: boolean
  /** Resolves once what it sends is in a block, or is not sent. */
  onClick: () => Promise<unknown>
  children: ReactNode
}

/** Asks the wallet to sign. Until the chain has it, the pressed button shows progress, and its neighbours are disabled. */
export function ActionButton({ isBusy, isOff = false, onClick, children }: Props) {
  const [isPressed, setPressed] = useState(false)
  async function press() {
    setPressed(true)
    await onClick().finally(() => setPressed(false))
  }
  return (
    <button
      type="button"
      disabled={isBusy || isPressed || isOff}
      onClick={() => void press()}
      className="mt-4 rounded-full bg-honey px-5 py-2 font-semibold text-night disabled:bg-line disabled:text-ink"
    >
      {isPressed ? 'Waiting for wallet and chain' : children}
    </button>
  )
}

/** Shows the reason why an action was not sent. */
export function Trouble({ text }: { text: string | null }) {
  if (text === null) return null
  return (
    <p role="alert" className="mt-3 break-words text-sm text-thorn">
      {text}
    </p>
  )
}
