import Link from 'next/link'
import { shorten } from '#merge/format.ts'

/** Leads to what an account does in the market, which takes no peer: its bets, the games that it opened, and its peers. */
export function AccountLink({ account }: { account: string }) {
  return (
    <Link href={`/bettors/${account.toLowerCase()}`} className="figures inline-block underline" title={account}>
      {shorten(account)}
    </Link>
  )
}
