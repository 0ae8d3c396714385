import { createHash } from 'node:crypto'
import type { Connection, Stream } from '@libp2p/interface'
import { CanonicalError } from '#core/canonical.ts'
import type { Clock } from '#core/clock.ts'
import { withDeadline } from '#core/deadline.ts'
import type { ContentId } from '#core/hashes.ts'
import type { Logger } from '#core/logger.ts'
import { openStream } from '../connections/openStream.ts'
import { createPlaces, type Place, type PlaceLimits, type Places } from '../connections/servePlaces.ts'
import type { MessageQueue } from '../gossip/messageQueue.ts'
import type { Host } from '../host.ts'
import type { Node } from '../libp2pNode.ts'
import { StreamError } from '../streams/streamError.ts'
import { createStreamReader, type StreamReader } from '../streams/streamReader.ts'
import { closeStream, finishStream, writeBytes, writeMessage } from '../streams/streamWriter.ts'
import { createPeerBuckets, type TokenBucket } from '../tokenBucket.ts'
import {
  CHUNK_BYTES,
  decodeHeader,
  decodeRequest,
  encodeHeader,
  encodeRequest,
  FETCH_PROTOCOL,
  type FetchHeader,
  MAX_FRAME_BYTES,
} from './fetchProtocol.ts'

/** A payload that is read as it is sent: for a slow peer, it would otherwise be in memory as a whole for minutes. */
export type ServedPayload = {
  readonly bytes: number
  read(from: number, to: number): Promise<Uint8Array>
  close(): Promise<void>
}

/** The source of payloads: this layer's only view of a store. */
export type BundleSource = { open(contentId: ContentId): Promise<ServedPayload | null> }

export type ServeLimits = PlaceLimits & {
  /** Pace for one peer, over all its streams. */
  bytesPerSecond: number
  burstBytes: number
  /** A stream is reset if no request arrives, or the remote accepts no bytes, for this long. */
  idleMs: number
}

const defaultServeLimits: ServeLimits = {
  streamsPerPeer: 4,
  streams: 32,
  bytesPerSecond: 16 << 20,
  burstBytes: 64 << 20,
  idleMs: 10_000,
  minBytesPerSecond: 64 << 10,
}

type ServeOptions = {
  source: BundleSource
  limits?: Partial<ServeLimits>
  /** Without it, every peer counts as one. */
  isRegistered?: (peerId: string) => boolean
  clock: Clock
  logger: Logger
}

/** Answers fetch requests. @returns a function that stops answering and resets open streams. */
export async function serveBundles(host: Host, options: ServeOptions): Promise<() => Promise<void>> {
  const limits = { ...defaultServeLimits, ...options.limits }
  const stopping = new AbortController()
  const bucketOf = createPeerBuckets(limits.bytesPerSecond, limits.burstBytes, options.clock)
  const places = createPlaces(limits, options.isRegistered ?? (() => true), options.clock)

  const onStream = async (stream: Stream, connection: Connection): Promise<void> => {
    const peer = connection.remotePeer.toString()
    try {
      const bucket = bucketOf(peer)
      const { messageQueue } = host
      await serveOne(stream, { ...options, limits, peer, places, bucket, messageQueue, signal: stopping.signal })
      await finishStream(stream, limits.idleMs)
    } catch (cause) {
      options.logger.debug('fetch stream reset', { peer, cause })
      stream.abort(cause instanceof Error ? cause : new StreamError('closed', cause))
    }
  }
  // Streams that have sent no request yet are bounded by libp2p itself, for each connection.
  await host.node.handle(FETCH_PROTOCOL, onStream, {
    ...{ maxInboundStreams: 32, maxOutboundStreams: 32 },
    runOnLimitedConnection: true,
  })
  return async () => {
    stopping.abort(new StreamError('closed'))
    await host.node.unhandle(FETCH_PROTOCOL)
  }
}

type ServeContext = ServeOptions & {
  limits: ServeLimits
  peer: string
  places: Places
  bucket: TokenBucket
  messageQueue: MessageQueue
  signal: AbortSignal
}

async function serveOne(stream: Stream, context: ServeContext): Promise<void> {
  const { limits, peer, places } = context
  // The whole request must arrive within this time.
  const asking = withDeadline(context.signal, limits.idleMs)
  const reader = createStreamReader(stream, { idleMs: limits.idleMs, signal: asking })
  const frame = await reader.message(MAX_FRAME_BYTES).finally(() => reader.release())
  if (frame === null) return
  const request = decodeRequest(frame)

  const answer = (status: FetchHeader['status'], size = 0): Promise<void> =>
    writeMessage(stream, encodeHeader({ v: 1, status, size }), limits.idleMs, context.signal)
  const place = places.enter(peer)
  if (place === null) return answer('busy')
  let isLeft = true
  let payload: ServedPayload | null = null
  try {
    let isUnread = false
    payload = await context.source.open(request.contentId).catch(cause => {
      context.logger.debug('a payload could not be read', { ...request, cause })
      isUnread = true
      return null
    })
    // A payload that is too large was read anyway, like one that is aborted.
    isLeft = payload !== null
    if (payload === null) await answer(isUnread ? 'busy' : 'not-found')
    else if (payload.bytes > request.maxBytes) await answer('too-large')
    else {
      await answer('ok', payload.bytes)
      await sendPayload(stream, payload, context, place)
      isLeft = false
    }
  } finally {
    place.leave(!isLeft)
    await payload?.close()
  }
}

async function sendPayload(stream: Stream, payload: ServedPayload, context: ServeContext, place: Place): Promise<void> {
  const { limits, clock } = context
  const slowest = Math.min(limits.minBytesPerSecond, limits.bytesPerSecond / 2)
  const until = AbortSignal.any([context.signal, place.signal])
  const signal = withDeadline(until, limits.idleMs + (payload.bytes / slowest) * 1000)
  for (let offset = 0; offset < payload.bytes; offset += CHUNK_BYTES) {
    const chunk = await payload.read(offset, Math.min(payload.bytes, offset + CHUNK_BYTES))
    const waitMs = context.bucket.takeMs(chunk.byteLength)
    if (waitMs > 0) await clock.sleep(waitMs, signal)
    // Encrypting and sending a chunk takes half a millisecond, and the stream takes some dozens before it is full.
    await context.messageQueue.enter()
    await writeBytes(stream, chunk, limits.idleMs, signal)
    place.took(chunk.byteLength)
  }
}

export type PayloadRequest = {
  contentId: ContentId
  /** A holder that claims more, or sends more, is `too-large`. */
  maxBytes: number
  /** Base58 peer id of the holder. */
  peer: string
  /** Called with the number of payload bytes that arrived since the last call. */
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
 * Reason why a fetch from a peer failed. `mismatch`: it sent other bytes or no proper answer, and is at fault. `too-large`: above the requested
 * maximum. `timeout`: it sent nothing for too long, or the caller gave up. `unreachable`: no connection, or it was lost.
 */
export type FetchFailure = 'not-found' | 'busy' | 'too-large' | 'mismatch' | 'timeout' | 'unreachable'

type PeerFetch = PayloadRequest & {
  /** Gives up if nothing arrives for this long. */
  idleMs: number
}

/** Fetches one payload from one peer, and hashes it as it arrives. */
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
