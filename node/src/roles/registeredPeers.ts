import type { Chain } from '#chain/openChain.ts'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { peerKeyOf } from '#core/peerKey.ts'

/** An unregistered peer is asked about again after this long: it may have registered meanwhile. */
const ASK_AGAIN_MS = 5_000

/** Unregistered ids remembered at most; a flood of made-up ones pushes out only others of their kind. */
const MAX_UNKNOWN = 10_000

/**
 * Tells whose announcements are taken: those of registered peers, since an id that costs nothing could be made up by the
 * thousand to fill a round.
 *
 * @param own - this node's id: always admitted, since others ask here for its announcements from the first on.
 * @param onKnown - called once a peer that was passed over turns out to be registered, so that its announcement can be
 *   fetched again.
 * @returns answers at once from what is known; about a peer that is not, it asks the chain and says no until then.
 */
export function createRegisteredPeers(
  own: string,
  chain: Pick<Chain, 'readAccountOf'>,
  clock: Clock,
  logger: Logger,
  onKnown: (peerId: string) => Promise<unknown>,
): (peerId: string) => boolean {
  const registered = new Set<string>([own])
  const askedAtMs = new Map<string, number>()
  const ask = async (peerId: string) => {
    if ((await chain.readAccountOf(peerKeyOf(peerId))) === null) return
    registered.add(peerId)
    askedAtMs.delete(peerId)
    await onKnown(peerId)
  }
  return peerId => {
    if (registered.has(peerId)) return true
    const now = clock.nowMs()
    if (now - (askedAtMs.get(peerId) ?? Number.NEGATIVE_INFINITY) < ASK_AGAIN_MS) return false
    askedAtMs.delete(peerId)
    askedAtMs.set(peerId, now)
    const oldest = askedAtMs.keys().next().value
    if (askedAtMs.size > MAX_UNKNOWN && oldest !== undefined) askedAtMs.delete(oldest)
    ask(peerId).catch(error => logger.debug('could not ask about a peer', { peerId, error }))
    return false
  }
}
