import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Suspense } from 'react'
import { PeerProfile } from '#components/PeerProfile.tsx'
import { Skeleton } from '#components/Skeleton.tsx'
import { type Query, readPage } from '#merge/readPage.ts'
import { getPeerData, readPeerKey } from './getPeerData.ts'

export const metadata: Metadata = { title: 'Peer' }

interface Props {
  params: Promise<{ peerKey: string }>
  searchParams: Promise<Query>
}

export default async function PeerPage({ params, searchParams }: Props) {
  const peerKey = readPeerKey((await params).peerKey)
  if (peerKey === null) notFound()
  return (
    <Suspense fallback={<Skeleton lines={10} />}>
      <PeerProfile peerKey={peerKey} record={getPeerData(peerKey)} page={readPage(await searchParams)} />
    </Suspense>
  )
}
