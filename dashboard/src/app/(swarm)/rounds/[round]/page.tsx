import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { InOrder } from '#components/InOrder.tsx'
import { ProblemSection } from '#components/rounds/ProblemSection.tsx'
import { RoundNeighbours } from '#components/rounds/RoundNeighbours.tsx'
import { RoundPath } from '#components/rounds/RoundPath.tsx'
import { VoteSection } from '#components/rounds/VoteSection.tsx'
import { Skeleton } from '#components/Skeleton.tsx'
import { type Query, readPage, readParameter } from '#merge/readPage.ts'
import { getRoundData, readRoundNumber, readShard } from './getRoundData.ts'

interface Props {
  params: Promise<{ round: string }>
  searchParams: Promise<Query>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Round ${(await params).round}` }
}

export default async function RoundPage({ params, searchParams }: Props) {
  const round = readRoundNumber((await params).round)
  if (round === null) notFound()
  const query = await searchParams
  const shard = readShard(readParameter(query, 'shard'))
  const view = { shard, task: readParameter(query, 'task'), page: readPage(query) }
  const { record, payloads } = getRoundData(round, shard)
  return (
    <>
      <RoundNeighbours round={round} />
      <h1 className="mt-3 text-5xl sm:text-6xl">Round {round}</h1>
      <RoundPath round={round} />
      <InOrder
        parts={[
          {
            part: <VoteSection record={record} round={round} view={view} />,
            skeleton: <Skeleton lines={5} title="Votes and points" waitsFor="indexer" />,
          },
          {
            part: <ProblemSection payloads={payloads} record={record} view={view} />,
            skeleton: <Skeleton lines={10} title="Problems and solutions" waitsFor="gateway" />,
          },
        ]}
      />
    </>
  )
}
