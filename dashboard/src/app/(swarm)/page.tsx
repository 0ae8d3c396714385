import { Suspense } from 'react'
import { CanaryGlance } from '#components/CanaryGlance.tsx'
import { CanarySection } from '#components/CanarySection.tsx'
import { Comb } from '#components/Comb.tsx'
import { Feed } from '#components/Feed.tsx'
import { Leaderboard } from '#components/Leaderboard.tsx'
import { OwnPeers } from '#components/OwnPeers.tsx'
import { RoundHeadline } from '#components/RoundHeadline.tsx'
import { Skeleton } from '#components/Skeleton.tsx'
import { SwarmFacts } from '#components/SwarmFacts.tsx'
import type { Query } from '#merge/readPage.ts'
import { getHomeData, readHomeParameters } from './getHomeData.ts'

export default async function HomePage({ searchParams }: { searchParams: Promise<Query> }) {
  const parameters = readHomeParameters(await searchParams)
  const { status, canary, standings, feed } = getHomeData(parameters)
  return (
    <>
      <section
        aria-label="The current round"
        className="grid items-center gap-x-10 gap-y-8 md:grid-cols-[20rem_1fr] lg:grid-cols-[20rem_1fr_22rem]"
      >
        <Comb />
        <div>
          <RoundHeadline />
          <Suspense fallback={<Skeleton lines={2} />}>
            <SwarmFacts status={status} />
          </Suspense>
          <p className="mt-4">
            <a href="/run">Environment and learning curves</a>
          </p>
        </div>
        <div className="md:col-span-2 lg:col-span-1">
          <Suspense fallback={<Skeleton lines={4} />}>
            <CanaryGlance canary={canary} />
          </Suspense>
        </div>
      </section>
      <OwnPeers />
      <div className="mt-14 grid gap-x-12 gap-y-14 lg:grid-cols-[1fr_20rem]">
        <Suspense fallback={<Skeleton lines={12} title="Leaderboard" />}>
          <Leaderboard standings={standings} {...parameters} />
        </Suspense>
        <Suspense fallback={<Skeleton lines={12} title="As it happens" />}>
          <Feed feed={feed} />
        </Suspense>
      </div>
      <Suspense fallback={<Skeleton lines={6} title="Reward and execution" />}>
        <CanarySection canary={canary} />
      </Suspense>
    </>
  )
}
