import { createHash } from 'node:crypto'
import { adjectives, animals } from './peerNameWords.ts'

/**
 * Three words for a peer, derived from its id alone, the same for ever: two different adjectives and an animal.
 *
 * For people, not for machines: among 16.7 million names two peers in a few thousand may share one.
 */
export function peerName(peerId: string): string {
  const digest = createHash('sha256').update(`waggle peer name\n${peerId}`).digest()
  const first = digest.readUInt8(0)
  // 1 to 255 steps further, so that the second differs from the first.
  const second = (first + 1 + (digest.readUInt16BE(1) % 255)) % 256
  return `${adjectives[first]} ${adjectives[second]} ${animals[digest.readUInt8(3)]}`
}
