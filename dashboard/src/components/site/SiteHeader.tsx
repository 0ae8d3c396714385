import Link from 'next/link'
import { AccountMenu } from './AccountMenu.tsx'
import { Mark } from './Mark.tsx'
import { NavLink } from './NavLink.tsx'

/** The head of every page: home, the lists, the visitor's account. */
export function SiteHeader({ networkName }: { networkName: string | null }) {
  return (
    <header className="mx-auto flex w-full max-w-6xl flex-wrap items-center gap-x-2 gap-y-2 px-4 sm:gap-x-6 py-4 sm:px-6">
      <Link href="/" className="flex items-center gap-2.5 no-underline" aria-label="Waggle, home">
        <Mark />
        <span className="casual text-xl font-extrabold sm:text-2xl tracking-tight">Waggle</span>
      </Link>
      <nav aria-label="Main" className="order-last flex w-full justify-between sm:order-none sm:w-auto sm:gap-1">
        <NavLink href="/" also="/peers">
          Peers
        </NavLink>
        <NavLink href="/run">Run</NavLink>
        <NavLink href="/rounds">Rounds</NavLink>
        <NavLink href="/roles">Roles</NavLink>
        <NavLink href="/market" also="/bettors">
          Market
        </NavLink>
      </nav>
      <div className="ml-auto flex items-center gap-4">
        {networkName && <span className="hidden text-sm text-soft sm:inline">{networkName} network</span>}
        <AccountMenu />
      </div>
    </header>
  )
}
