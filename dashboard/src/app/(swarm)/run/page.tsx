import type { Metadata } from 'next'
import { CanarySection } from '#components/canary/CanarySection.tsx'
import { InOrder } from '#components/InOrder.tsx'
import { LearningCurve } from '#components/LearningCurve.tsx'
import { RunRules } from '#components/rounds/RunRules.tsx'
import { SamplingSpeed } from '#components/SamplingSpeed.tsx'
import { Skeleton } from '#components/Skeleton.tsx'
import { SwarmFacts } from '#components/site/SwarmFacts.tsx'
import { getCanary, getSwarmStatus } from '#sources/gateway.ts'
import { getRounds } from '#sources/getRounds.ts'
import { getSampled } from '#sources/getSampled.ts'

export const metadata: Metadata = { title: 'The run' }

/** Rounds of the learning curve. */
const ROUNDS = 200

export default function RunPage() {
  const status = getSwarmStatus()
  return (
    <>
      <h1 className="text-5xl">The run</h1>
      <p className="mt-3 max-w-prose text-soft">The swarm’s tasks and rules, and what its solvers learn.</p>
      <InOrder
        parts={[
          { part: <SwarmFacts status={status} />, skeleton: <Skeleton lines={2} waitsFor="gateway" /> },
          { part: <SamplingSpeed sampled={getSampled()} />, skeleton: <Skeleton lines={2} waitsFor="gateway" /> },
          { part: <RunRules status={status} />, skeleton: <Skeleton lines={4} waitsFor="gateway" /> },
          {
            part: <LearningCurve rounds={getRounds(ROUNDS, 0)} />,
            skeleton: <Skeleton lines={6} title="Reward" waitsFor="indexer" />,
          },
          {
            part: <CanarySection canary={getCanary()} status={status} byFamily />,
            skeleton: <Skeleton lines={6} title="Reward and execution" waitsFor="gateway" />,
          },
        ]}
      />
    </>
  )
}
