'use client'

import { useState } from 'react'

/** An identifier in full, and a button that copies it. */
export function CopyText({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false)
  async function copy() {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 2_000)
  }
  return (
    <span className="flex items-baseline gap-3">
      <span className="figures min-w-0 text-sm break-all">{text}</span>
      <button
        type="button"
        className="shrink-0 text-sm text-soft underline"
        aria-label={`Copy ${label}`}
        onClick={() => void copy().catch(() => setCopied(false))}
      >
        <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
      </button>
    </span>
  )
}
