'use client'

import type { ReactNode } from 'react'

interface Props {
  isBusy: boolean
  isOff?: boolean
  onClick: () => void
  children: ReactNode
}

/** Has the wallet sign something. */
export function ActionButton({ isBusy, isOff = false, onClick, children }: Props) {
  return (
    <button
      type="button"
      disabled={isBusy || isOff}
      onClick={onClick}
      className="mt-4 rounded-full bg-honey px-5 py-2 font-semibold text-night disabled:bg-line disabled:text-ink"
    >
      {isBusy ? 'Waiting for the wallet' : children}
    </button>
  )
}

/** Why an action was not sent. */
export function Trouble({ text }: { text: string | null }) {
  if (text === null) return null
  return (
    <p role="alert" className="mt-3 break-words text-sm text-thorn">
      {text}
    </p>
  )
}
