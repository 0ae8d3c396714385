import { createHash } from 'node:crypto'
import type { Stream } from '@libp2p/interface'
import { CanonicalError } from '#core/canonical.ts'
import type { ContentId } from '#core/hashes.ts'
import type { Logger } from '#core/logger.ts'
import { openStream } from '../connections/openStream.ts'
import type { Host } from '../host.ts'
import type { Node } from '../libp2pNode.ts'
import { CHUNK_BYTES, decodeHeader, encodeRequest, FETCH_PROTOCOL, MAX_FRAME_BYTES } from './fetchProtocol.ts'
import { StreamError } from './streamError.ts'
import { createStreamReader, type StreamReader } from './streamReader.ts'
import { closeStream, writeMessage } from './streamWriter.ts'

export type PayloadRequest = {
  contentId: ContentId
  /** A holder that claims more, or sends more, is `too-large`. */
  maxBytes: number
  /** Base58 peer id of the holder. */
  peer: string
  /** Called with the bytes of the payload that have come since the last call. */
  onBytes?: (bytes: number) => void
  signal: AbortSignal
}

/** Fetches a payload from one holder. The caller decides whom to ask, how many at once and for how long. */
export type FetchPayload = (request: PayloadRequest) => Promise<Uint8Array | FetchFailure>

/** Gives up on a peer that sends nothing for this long, independent of the caller's pace. */
const IDLE_MS = 10_000
const MISMATCH_POINTS = 40

export function createFetchPayload(
  host: Host,
  { logger, idleMs = IDLE_MS }: { logger: Logger; idleMs?: number },
): FetchPayload {
  return async request => {
    const { peer, contentId } = request
    const result = await fetchFromPeer(host.node, { ...request, idleMs })
    if (result === 'mismatch')
      host.guard.penalise(peer, MISMATCH_POINTS, 'sent a payload that is not what was asked for')
    if (typeof result === 'string') logger.debug('fetch failed', { peer, contentId, reason: result })
    return result
  }
}

/**
 * Why a fetch from a peer failed. `mismatch`: it sent other bytes or no proper answer, and is at fault. `too-large`: above the requested
 * maximum. `timeout`: it sent nothing for too long, or the caller gave up. `unreachable`: no connection, or it was lost.
 */
export type FetchFailure = 'not-found' | 'busy' | 'too-large' | 'mismatch' | 'timeout' | 'unreachable'

type PeerFetch = PayloadRequest & {
  /** Gives up when nothing arrives for so long. */
  idleMs: number
}

/** Fetches one payload from one peer, hashing it as it comes. */
async function fetchFromPeer(node: Node, fetch: PeerFetch): Promise<Uint8Array | FetchFailure> {
  let stream: Stream | undefined
  let reader: StreamReader | undefined
  try {
    stream = await openStream(node, fetch.peer, FETCH_PROTOCOL, fetch.signal)
    reader = createStreamReader(stream, { idleMs: fetch.idleMs, signal: fetch.signal })
    const request = encodeRequest({ v: 1, contentId: fetch.contentId, maxBytes: fetch.maxBytes })
    await writeMessage(stream, request, fetch.idleMs, fetch.signal)
    const result = await receive(reader, fetch)
    if (typeof result === 'string') stream.abort(new StreamError('closed', result))
    else await closeStream(stream, fetch.idleMs)
    return result
  } catch (cause) {
    stream?.abort(cause instanceof Error ? cause : new StreamError('closed', cause))
    return failureOf(cause, fetch.signal)
  } finally {
    reader?.release()
  }
}

async function receive(reader: StreamReader, fetch: PeerFetch): Promise<Uint8Array | FetchFailure> {
  const frame = await reader.message(MAX_FRAME_BYTES)
  if (frame === null) return 'unreachable'
  const header = decodeHeader(frame)
  if (header.status !== 'ok') return header.status
  if (header.size > fetch.maxBytes) return 'too-large'
  const hash = createHash('sha256')
  const payload = new Uint8Array(header.size)
  for (let offset = 0; offset < payload.byteLength; ) {
    const chunk = await reader.chunk(Math.min(CHUNK_BYTES, payload.byteLength - offset))
    if (chunk === null) return 'unreachable'
    hash.update(chunk)
    payload.set(chunk, offset)
    offset += chunk.byteLength
    fetch.onBytes?.(chunk.byteLength)
  }
  return `0x${hash.digest('hex')}` === fetch.contentId ? payload : 'mismatch'
}

function failureOf(cause: unknown, signal: AbortSignal): FetchFailure {
  if (signal.aborted) return 'timeout'
  if (cause instanceof CanonicalError) return 'mismatch'
  if (!(cause instanceof StreamError)) return 'unreachable'
  if (cause.kind === 'too-large') return 'mismatch'
  return cause.kind === 'closed' ? 'unreachable' : 'timeout'
}
