import { z } from 'zod'
import { queryIndexer } from './queryIndexer.ts'

const peer = z.object({ peerKey: z.string(), peerId: z.string(), name: z.string() })
const answer = z.object({ peers: z.object({ items: z.array(peer) }) })

export type NamedPeer = z.infer<typeof peer>

const QUERY = `query PeerNames($keys: [String], $limit: Int) {
  peers(where: { peerKey_in: $keys }, limit: $limit) { items { peerKey peerId name } }
}`

/** Names of peers by their keys, as far as the index knows them: of none while it is down. */
export async function getPeerNames(keys: readonly string[]): Promise<ReadonlyMap<string, NamedPeer>> {
  if (keys.length === 0) return new Map()
  const part = await queryIndexer(QUERY, { keys, limit: keys.length }, answer)
  return new Map(part.state === 'ready' ? part.data.peers.items.map(named => [named.peerKey, named]) : [])
}
