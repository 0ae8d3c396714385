import type { IdentifyResult } from '@libp2p/interface'
import type { Node } from '../libp2pNode.ts'

const AGENT = /^waggle\/(\d{1,5}\.\d{1,5}\.\d{1,5})$/
/** Most peers whose release is stored: more than are connected at a time. */
const MAX_PEERS = 1_024

/** The agent version in libp2p's identify. */
export const agentOf = (release: string): string => `waggle/${release}`

export type Releases = {
  /** The release that a peer claims to run; null if it claims none, or was never connected. */
  releaseOf(peerId: string): string | null
}

/** Stores the releases of recently connected peers. */
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
