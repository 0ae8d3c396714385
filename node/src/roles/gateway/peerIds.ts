import type { ChainReads } from '#chain/reads.ts'
import type { PeerKey } from '#core/hashes.ts'

/** The base58 ids of the registered ones among these keys. */
export type PeerIds = (peerKeys: readonly PeerKey[]) => Promise<ReadonlyMap<PeerKey, string>>

/** Ids that are remembered: about 3 MB. */
const MAX_PEER_IDS = 16_384

/** Ids by key, a hash of the id, so that entries never change. Missing ones are requested together. */
export function createPeerIds({ readPeerIds }: Pick<ChainReads, 'readPeerIds'>): PeerIds {
  const known = new Map<PeerKey, string>()

  return async peerKeys => {
    const found = new Map(peerKeys.map(key => [key, known.get(key)]))
    const unknown = [...found.keys()].filter(key => found.get(key) === undefined)
    const ids = unknown.length > 0 ? await readPeerIds(unknown) : []
    if (known.size + unknown.length > MAX_PEER_IDS) known.clear()
    for (const [at, key] of unknown.entries()) {
      const id = ids[at]
      if (id) known.set(key, id)
      found.set(key, id ?? undefined)
    }
    return new Map([...found].flatMap(([key, id]) => (id === undefined ? [] : [[key, id]])))
  }
}
