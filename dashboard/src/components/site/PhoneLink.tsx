'use client'

import { useEffect, useState } from 'react'
import { CopyText } from '../CopyText.tsx'

/** The link to a wallet: to scan, to open on a phone that reads this page, or to copy. */
export function PhoneLink({ link }: { link: string }) {
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm">Scan this with the wallet on your phone, then approve there.</p>
      <QrCode text={link} />
      <a href={link} className="rounded-full bg-honey px-4 py-2 text-center font-semibold text-night no-underline">
        Open a wallet on this device
      </a>
      <details className="text-sm">
        <summary>The link as text</summary>
        <CopyText text={link} label="the link" />
      </details>
    </div>
  )
}

/** Dark on light in both themes, with the quiet border that scanners need. */
function QrCode({ text }: { text: string }) {
  const [rows, setRows] = useState<boolean[][] | null>(null)
  useEffect(() => {
    let current = true
    void import('qr').then(({ default: encodeQr }) => {
      if (current) setRows(encodeQr(text, 'raw', { border: 2 }))
    })
    return () => {
      current = false
    }
  }, [text])
  const size = rows?.length ?? 1
  const cells = rows?.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))) ?? []
  return (
    <svg
      role="img"
      aria-label="Code of the link"
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="aspect-square w-full rounded-cell "
      style={{ background: '#fff' }}
    >
      <path fill="#000" d={cells.join('')} />
    </svg>
  )
}
