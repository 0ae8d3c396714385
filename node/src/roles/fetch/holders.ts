import { beforeAbort } from '#core/deadline.ts'
import type { ContentId, PeerKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import type { AnnouncementKind } from '#p2p/gossip/topics.ts'
import type { Network } from '#p2p/network.ts'

/** Payloads that are fetched from peers. Policies are not announced: the chain has their hash, and the author is the peer that announced rollouts. */
export type FetchKind = AnnouncementKind | 'policy'

/** A payload as the chain or an announcement describes it. */
export type WantedPayload = {
  kind: FetchKind
  round: number
  contentId: ContentId
  peerKey: PeerKey
  /** Whether to wait for an unreachable author. */
  mayReturn?: boolean
  /** Peers that had it, according to the chain. They are asked in parallel with the author. */
  keepers?: readonly PeerKey[]
}

/** `maxBytes`: what it announced, or undefined if it announced nothing. */
export type Holder = {
  peerId: string
  peerKey: PeerKey
  isAuthor: boolean
  isKeeper?: boolean
  maxBytes: number | undefined
}

type HolderNetwork = Pick<Network, 'peerId' | 'announcements' | 'connectedPeers'>

/** The base58 id behind a peer key, as the chain has it; null if the peer is not registered. */
export type ReadPeerId = (peerKey: PeerKey) => Promise<string | null>
type HolderModules = { network: HolderNetwork; readPeerId: ReadPeerId }

/**
 * Peers that may have a payload, in the order to ask them: its author, others that announced it, then connected ones. An author
 * that announced another payload of the kind and round since keeps this one too: the chain may not have taken its amendment.
 */
export function holdersOf(
  network: HolderNetwork,
  { kind, round, contentId, peerKey: author }: WantedPayload,
): Holder[] {
  const announced = network.announcements(round, kind === 'policy' ? 'rollouts' : kind)
  const sizes = new Map<string, number | undefined>()
  for (const one of announced) if (one.contentId === contentId) sizes.set(one.peerId, one.size)
  for (const peerId of network.connectedPeers()) if (!sizes.has(peerId)) sizes.set(peerId, undefined)
  sizes.delete(network.peerId)
  const holders = [...sizes].map(([peerId, maxBytes]) => holderOf(peerId, maxBytes, author))
  if (!holders.some(({ isAuthor }) => isAuthor)) {
    const found = announced.find(({ peerId }) => peerId !== network.peerId && peerKeyOf(peerId) === author)
    if (found !== undefined) holders.push(holderOf(found.peerId, undefined, author))
  }
  return holders.sort((a, b) => Number(b.isAuthor) - Number(a.isAuthor))
}

/** The author of a payload, if it is another peer: the chain names it if it is not connected and no announcement was received. */
export async function findAuthor(
  { network, readPeerId }: HolderModules,
  wanted: WantedPayload,
  signal: AbortSignal,
): Promise<Holder | undefined> {
  const [known] = holdersOf(network, wanted)
  if (known?.isAuthor) return known
  const { peerKey } = wanted
  const peerId = await beforeAbort(readPeerId(peerKey), signal)
  const isOther = peerId !== null && peerId !== network.peerId
  return isOther ? { peerId, peerKey, isAuthor: true, maxBytes: undefined } : undefined
}

/** The keepers of a payload by their ids, whether they are connected or not. */
export async function findKeepers(
  { network, readPeerId }: HolderModules,
  { keepers = [], peerKey: author }: WantedPayload,
  signal: AbortSignal,
): Promise<Holder[]> {
  const keys = [...new Set(keepers)].filter(key => key !== author)
  const ids = await beforeAbort(Promise.all(keys.map(readPeerId)), signal)
  return keys.flatMap((peerKey, at) => {
    const peerId = ids[at] ?? null
    if (peerId === null || peerId === network.peerId) return []
    return [{ peerId, peerKey, isAuthor: false, isKeeper: true, maxBytes: undefined }]
  })
}

function holderOf(peerId: string, maxBytes: number | undefined, author: Hex): Holder {
  const peerKey = peerKeyOf(peerId)
  return { peerId, peerKey, maxBytes, isAuthor: peerKey === author }
}
