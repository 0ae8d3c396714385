import type { Metadata } from 'next'
import Link from 'next/link'
import { MarketTables } from '#components/games/MarketTables.tsx'
import { InOrder } from '#components/InOrder.tsx'
import { RoleTables } from '#components/peers/RoleTables.tsx'
import { Skeleton } from '#components/Skeleton.tsx'
import { getRoles } from '#sources/getRoles.ts'
import { getMarketRoles } from '#sources/market/getMarketRoles.ts'

export const metadata: Metadata = { title: 'Roles' }

export default function RolesPage() {
  return (
    <>
      <h1 className="text-4xl sm:text-5xl">Roles</h1>
      <p className="mt-3 max-w-prose text-soft">
        Those who are paid in Nectar: who scores, who proposes, who judges games of the market and who bets in them.
        Solvers earn points, and are on the <Link href="/">leaderboard</Link>.
      </p>
      <InOrder
        parts={[
          { part: <RoleTables roles={getRoles()} />, skeleton: <Skeleton lines={8} waitsFor="indexer" /> },
          { part: <MarketTables roles={getMarketRoles()} />, skeleton: <Skeleton lines={8} waitsFor="indexer" /> },
        ]}
      />
    </>
  )
}
