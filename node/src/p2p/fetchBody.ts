import type { Hex } from '#core/hex.ts'
import type { Logger } from '#core/logger.ts'
import { type FetchFailure, fetchFromPeer } from './fetchFromPeer.ts'
import type { Host } from './host.ts'

export type BodyRequest = {
  contentId: Hex
  /** A holder that claims more, or sends more, is `too-large`. */
  maxBytes: number
  /** Base58 peer id of the holder. */
  peer: string
  /** Called with the bytes of the body that have come since the last call. */
  onBytes?: (bytes: number) => void
  signal: AbortSignal
}

/** Fetches a body from one holder. Whom to ask, how many at once and for how long is for the caller to say. */
export type FetchBody = (request: BodyRequest) => Promise<Uint8Array | FetchFailure>

/** Gives up on a peer that sends nothing for so long, whatever pace the caller asks for. */
const IDLE_MS = 10_000
const MISMATCH_POINTS = 40

export function createFetchBody(
  host: Host,
  { logger, idleMs = IDLE_MS }: { logger: Logger; idleMs?: number },
): FetchBody {
  return async request => {
    const { peer, contentId } = request
    const result = await fetchFromPeer(host.node, { ...request, idleMs })
    if (result === 'mismatch') host.guard.penalise(peer, MISMATCH_POINTS, 'sent a body that is not what was asked for')
    if (typeof result === 'string') logger.debug('fetch failed', { peer, contentId, reason: result })
    return result
  }
}
