import type { Metadata } from 'next'
import { notFound, redirect } from 'next/navigation'
import { Suspense } from 'react'
import { PartDown } from '#components/PartDown.tsx'
import { NEWEST_BETS } from '#components/peers/PeerBets.tsx'
import { PeerProfile } from '#components/peers/PeerProfile.tsx'
import { Skeleton } from '#components/Skeleton.tsx'
import { type Query, readPage } from '#merge/readPage.ts'
import { decodePath } from '#sources/decodePath.ts'
import { findPeer } from '#sources/findPeer.ts'
import { getCanary, getSeenPeer } from '#sources/gateway.ts'
import { getSampled } from '#sources/getSampled.ts'
import { getTraining } from '#sources/getTraining.ts'
import { getBettor } from '#sources/market/getBettor.ts'
import { soon } from '#sources/part.ts'
import { getPeerData, peerSummary, readPeerKey } from './getPeerData.ts'

interface Props {
  params: Promise<{ peerKey: string }>
  searchParams: Promise<Query>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const peerKey = readPeerKey(decodePath((await params).peerKey) ?? '')
  const { name, about } = peerSummary(peerKey === null ? null : await getPeerData(peerKey))
  return { title: name, description: about, openGraph: { title: name, description: about } }
}

export default async function PeerPage({ params, searchParams }: Props) {
  const text = decodePath((await params).peerKey)
  if (text === null) notFound()
  const peerKey = readPeerKey(text)
  if (peerKey === null) return byName(text)
  const asked = getPeerData(peerKey)
  const page = readPage(await searchParams)
  const found = await soon(asked)
  if (found !== null) return <PeerView peerKey={peerKey} part={found} page={page} />
  return (
    <Suspense fallback={<Skeleton lines={12} title="Peer" waitsFor="indexer" />}>
      <LatePeer peerKey={peerKey} asked={asked} page={page} />
    </Suspense>
  )
}

type PeerPart = Awaited<ReturnType<typeof getPeerData>>

async function LatePeer({ asked, ...of }: { peerKey: string; asked: Promise<PeerPart>; page: number }) {
  return <PeerView {...of} part={await asked} />
}

function PeerView({ peerKey, part, page }: { peerKey: string; part: PeerPart; page: number }) {
  if (part.state === 'ready' && part.data.peer === null) notFound()
  const [canary, training] = [getCanary(), getTraining(peerKey)]
  const seen = getSeenPeer(peerKey)
  const account = part.state === 'ready' ? part.data.peer?.account.toLowerCase() : undefined
  const bets = account === undefined ? null : getBettor(account, NEWEST_BETS)
  return <PeerProfile {...{ peerKey, part, bets, canary, training, seen, page }} sampled={getSampled()} />
}

/** A peer's name or id leads to its page. */
async function byName(text: string) {
  const found = text.length > 100 ? null : await findPeer(text)
  if (found?.state === 'ready' && found.data !== null) redirect(`/peers/${found.data}`)
  if (found?.state === 'down') return <PartDown part={found} />
  notFound()
}
