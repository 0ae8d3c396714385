import type { Metadata } from 'next'
import { Suspense } from 'react'
import { RoleTables } from '#components/peers/RoleTables.tsx'
import { Skeleton } from '#components/Skeleton.tsx'
import { getRoles } from '#sources/getRoles.ts'

export const metadata: Metadata = { title: 'Evaluators and proposers' }

export default function RolesPage() {
  return (
    <>
      <h1 className="text-5xl">Evaluators and proposers</h1>
      <p className="mt-3 max-w-prose text-soft">What they stake and earn, in nectar. Solvers are on the leaderboard.</p>
      <Suspense fallback={<Skeleton lines={8} />}>
        <RoleTables roles={getRoles()} />
      </Suspense>
    </>
  )
}
