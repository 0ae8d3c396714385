'use client'

import Link from 'next/link'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'

/** A link that says when the reader is on its page, or on one below it or `also`. */
export function NavLink({ href, also, children }: { href: string; also?: string; children: ReactNode }) {
  const path = usePathname()
  const here = path === href || (href !== '/' && path.startsWith(href)) || (also !== undefined && path.startsWith(also))
  return (
    <Link
      href={href}
      aria-current={here ? 'page' : undefined}
      className={`rounded-full px-2 py-1.5 sm:px-3 font-medium no-underline ${here ? 'bg-honey-pale' : 'text-soft hover:text-ink'}`}
    >
      {children}
    </Link>
  )
}
