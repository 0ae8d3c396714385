import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { PeerProfile } from '#components/PeerProfile.tsx'
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
  const part = await getPeerData(peerKey)
  if (part.state === 'ready' && part.data.peer === null) notFound()
  return <PeerProfile peerKey={peerKey} part={part} page={readPage(await searchParams)} />
}
