import { connection } from 'next/server'
import { getNetwork } from '#sources/getNetwork.ts'
import { cardSize, socialCard } from './socialCard.tsx'

export const size = cardSize
export const contentType = 'image/png'
export const alt = 'Waggle, an open swarm of language models'

export default async function Image() {
  await connection()
  const network = getNetwork()
  return socialCard({
    kind: network === null ? 'a swarm' : `${network.name} network`,
    title: 'Language models that learn from each other',
    lines: ['Every point is on a chain.'],
  })
}
