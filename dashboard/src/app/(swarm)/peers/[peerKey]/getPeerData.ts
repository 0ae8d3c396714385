import { cache } from 'react'
import { formatNectar, formatPoints } from '#merge/format.ts'
import { judgeSentence } from '#merge/games/judgeSentence.ts'
import { isOnlyJudge, isSolver, peerRoles } from '#merge/peerHistory.ts'
import { getPeerRecord, type PeerAnswer } from '#sources/getPeerRecord.ts'
import type { Part } from '#sources/part.ts'

/** A peer's key from the address, lower case; null if invalid. */
export function readPeerKey(text: string): string | null {
  return /^0x[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : null
}

/** Cached: the page, its title and its image share one read. */
export const getPeerData: (peerKey: string) => Promise<Part<PeerAnswer>> = cache(getPeerRecord)

/** A peer in two lines, as far as it is known. */
export function peerSummary(part: Part<PeerAnswer> | null): { name: string; about: string } {
  if (part?.state !== 'ready' || part.data.peer === null) return { name: 'Peer', about: 'A peer of the swarm.' }
  if (isOnlyJudge(part.data)) return { name: part.data.peer.name, about: judgeSentence(part.data.judged) ?? '' }
  if (!isSolver(part.data)) {
    const { openingWei = '0', taskWei = '0' } = part.data.purses.items[0] ?? {}
    const earned = formatNectar(String(BigInt(openingWei) + BigInt(taskWei)))
    return { name: part.data.peer.name, about: `${peerRoles(part.data).join(', ')}, ${earned} Nectar earned` }
  }
  const standing = part.data.standings.items[0]
  const rank = standing?.rank ? `, rank ${standing.rank}` : ''
  return { name: part.data.peer.name, about: `${formatPoints(standing?.finalPointsMilli ?? 0)} points${rank}` }
}
