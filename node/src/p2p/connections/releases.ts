import type { IdentifyResult } from '@libp2p/interface'
import type { Node } from '../libp2pNode.ts'

const AGENT = /^waggle\/(\d{1,5}\.\d{1,5}\.\d{1,5})$/
/** Peers whose release is remembered: more than are connected at a time. */
const MAX_PEERS = 1_024

/** What a peer says of itself when it is identified. */
export const agentOf = (release: string): string => `waggle/${release}`

export type Releases = {
  /** The release that a peer said it runs; null if it said none, or was not met. Its own word. */
  releaseOf(peerId: string): string | null
}

/** Remembers the releases of the peers met last. */
export function noteReleases(node: Pick<Node, 'addEventListener'>): Releases {
  const releases = new Map<string, string>()

  node.addEventListener('peer:identify', ({ detail }: CustomEvent<IdentifyResult>) => {
    const peerId = detail.peerId.toString()
    releases.delete(peerId)
    const release = AGENT.exec(detail.agentVersion ?? '')?.[1]
    if (release !== undefined) releases.set(peerId, release)
    const [oldest] = releases.keys()
    if (releases.size > MAX_PEERS && oldest !== undefined) releases.delete(oldest)
  })
  return { releaseOf: peerId => releases.get(peerId) ?? null }
}
