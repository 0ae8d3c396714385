import { Suspense } from 'react'
import { CanaryGlance } from '#components/canary/CanaryGlance.tsx'
import { CanarySection } from '#components/canary/CanarySection.tsx'
import { InOrder } from '#components/InOrder.tsx'
import { Leaderboard } from '#components/peers/Leaderboard.tsx'
import { OwnPeers } from '#components/peers/OwnPeers.tsx'
import { RoleGlance } from '#components/peers/RoleGlance.tsx'
import { Comb } from '#components/rounds/Comb.tsx'
import { RoundHeadline } from '#components/rounds/RoundHeadline.tsx'
import { Skeleton } from '#components/Skeleton.tsx'
import { Feed } from '#components/site/Feed.tsx'
import { SwarmFacts } from '#components/site/SwarmFacts.tsx'
import type { Query } from '#merge/readPage.ts'
import { readHomeParameters } from '#merge/readPage.ts'
import { getHomeData } from './getHomeData.ts'

export default async function HomePage({ searchParams }: { searchParams: Promise<Query> }) {
  const parameters = readHomeParameters(await searchParams)
  const { status, canary, standings, roles, feed } = getHomeData(parameters)
  return (
    <>
      <section
        aria-label="The current round"
        className="grid items-center gap-x-10 gap-y-8 md:grid-cols-[20rem_1fr] lg:grid-cols-[20rem_1fr_22rem]"
      >
        <Comb />
        <div className="min-h-102">
          <RoundHeadline />
          <Suspense fallback={<Skeleton lines={2} waitsFor="gateway" />}>
            <SwarmFacts status={status} />
          </Suspense>
        </div>
        <div className="md:col-span-2 lg:col-span-1 lg:min-h-64">
          <Suspense fallback={<Skeleton lines={4} waitsFor="gateway" />}>
            <CanaryGlance canary={canary} />
          </Suspense>
        </div>
      </section>
      <OwnPeers />
      {/* At least a screen high, so that late parts cause no layout shift. */}
      <div className="mt-14 grid min-h-svh content-start gap-x-12 gap-y-14 lg:grid-cols-[1fr_20rem]">
        <div className="min-w-0">
          <InOrder
            parts={[
              {
                part: <Leaderboard standings={standings} {...parameters} />,
                skeleton: <Skeleton lines={12} title="Leaderboard" waitsFor="indexer" />,
              },
              { part: <RoleGlance roles={roles} />, skeleton: <Skeleton lines={6} waitsFor="indexer" /> },
            ]}
          />
        </div>
        <Suspense fallback={<Skeleton lines={12} title="As it happens" waitsFor="indexer" />}>
          <Feed feed={feed} />
        </Suspense>
      </div>
      <Suspense fallback={<Skeleton lines={6} title="Reward and execution" waitsFor="gateway" />}>
        <CanarySection canary={canary} status={status} />
      </Suspense>
    </>
  )
}
