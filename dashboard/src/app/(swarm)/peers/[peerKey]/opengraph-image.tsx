import { cardSize, socialCard } from '../../../socialCard.tsx'
import { getPeerData, peerSummary, readPeerKey } from './getPeerData.ts'

export const size = cardSize
export const contentType = 'image/png'
export const alt = 'A peer, its points and its rank'

export default async function Image({ params }: { params: Promise<{ peerKey: string }> }) {
  const peerKey = readPeerKey((await params).peerKey)
  const part = peerKey === null ? null : await getPeerData(peerKey)
  const { name, about } = peerSummary(part)
  return socialCard({ kind: 'a peer', title: name, lines: [about] })
}
