import type { Metadata } from 'next'
import { Suspense } from 'react'
import { RoundsTable } from '#components/rounds/RoundsTable.tsx'
import { Skeleton } from '#components/Skeleton.tsx'
import type { Query } from '#merge/readPage.ts'
import { getRoundsData } from './getRoundsData.ts'

export const metadata: Metadata = { title: 'Rounds' }

export default async function RoundsPage({ searchParams }: { searchParams: Promise<Query> }) {
  const { page, rounds } = getRoundsData(await searchParams)
  return (
    <>
      <h1 className="text-4xl sm:text-5xl">Rounds</h1>
      <p className="mt-3 max-w-prose text-soft">
        Solving, voting, revealing and settling take a round of time each. A round’s points are final three rounds after
        it ended.
      </p>
      <Suspense fallback={<Skeleton lines={12} waitsFor="indexer" />}>
        <RoundsTable rounds={rounds} page={page} />
      </Suspense>
    </>
  )
}
