import type { ReactNode } from 'react'

/** A part of a page with nothing to show, and the reason: `trouble` is for problems that somebody has to fix. */
export function Notice({
  title,
  trouble = false,
  children,
}: {
  title: string
  trouble?: boolean
  children?: ReactNode
}) {
  return (
    <div
      role={trouble ? 'alert' : 'status'}
      className={`rounded-cell border border-dashed px-4 py-5 ${trouble ? 'border-thorn' : 'border-line'}`}
    >
      <p className={`casual font-bold ${trouble ? 'text-thorn' : 'text-ink'}`}>{title}</p>
      {children && <div className="mt-1 max-w-prose text-sm text-soft">{children}</div>}
    </div>
  )
}
