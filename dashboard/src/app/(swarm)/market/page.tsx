import type { Metadata } from 'next'
import Link from 'next/link'
import { Suspense } from 'react'
import { GameList } from '#components/games/GameList.tsx'
import { YourBets } from '#components/games/YourBets.tsx'
import { Skeleton } from '#components/Skeleton.tsx'
import type { Query } from '#merge/readPage.ts'
import { getMarketData } from './getMarketData.ts'

export const metadata: Metadata = { title: 'Market' }

export default async function MarketPage({ searchParams }: { searchParams: Promise<Query> }) {
  const { page, games } = getMarketData(await searchParams)
  return (
    <>
      <h1 className="text-4xl sm:text-5xl">Market</h1>
      <p className="mt-3 max-w-prose text-soft">
        A Judge has committed to an answer and its clues. Each round takes bets, then a clue is proven. Those who are
        right divide the losing stakes by shares. A share costs 1 Nectar in the first round and half as much again in
        each later one, or more where a round has more bets on a choice than it takes: who is right early is paid most.
      </p>
      <p className="mt-2 flex gap-x-6">
        <Link href="/roles#bettors" className="inline-block py-1 underline">
          Ranking of bettors
        </Link>
        <YourBets />
      </p>
      <Suspense fallback={<Skeleton lines={12} waitsFor="indexer" />}>
        <GameList games={games} page={page} />
      </Suspense>
    </>
  )
}
