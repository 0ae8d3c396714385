import type { GossipSub } from '@chainsafe/libp2p-gossipsub'
import type { Libp2p } from '@libp2p/interface'

/** gossipsub, with two methods that its published interface leaves out. */
export type GossipService = GossipSub & { getScore(peerId: string): number; getMeshPeers(topic: string): string[] }

export type Node = Libp2p<{ gossip: GossipSub; autoNat: unknown }>
