'use client'

import Link from 'next/link'
import { useAccount } from '#chain/AccountProvider.tsx'

/** Links a connected account to all of its bets. Its line is reserved, so that the link causes no layout shift. */
export function YourBets() {
  const { address } = useAccount()
  if (address === null) return null
  return (
    <Link href={`/bettors/${address.toLowerCase()}`} className="inline-block py-1 font-semibold underline">
      Your bets
    </Link>
  )
}
