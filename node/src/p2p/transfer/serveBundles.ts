import type { Connection, Stream } from '@libp2p/interface'
import type { Clock } from '#core/clock.ts'
import { withDeadline } from '#core/deadline.ts'
import type { ContentId } from '#core/hashes.ts'
import type { Logger } from '#core/logger.ts'
import { createPlaces, type Place, type PlaceLimits, type Places } from '../connections/servePlaces.ts'
import type { MessageQueue } from '../gossip/messageQueue.ts'
import type { Host } from '../host.ts'
import {
  CHUNK_BYTES,
  decodeRequest,
  encodeHeader,
  FETCH_PROTOCOL,
  type FetchHeader,
  MAX_FRAME_BYTES,
} from './fetchProtocol.ts'
import { StreamError } from './streamError.ts'
import { createStreamReader } from './streamReader.ts'
import { finishStream, writeBytes, writeMessage } from './streamWriter.ts'
import { createPeerBuckets, type TokenBucket } from './tokenBucket.ts'

/** A payload that is read as it is sent: a peer that takes its time would have it whole in memory for minutes. */
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
  /** Without a request, or without the remote taking bytes, for so long: reset. */
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

/** Answers fetch requests. @returns a function that stops answering and resets the streams under way. */
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
  // The whole request must come within this time, not only some byte of it.
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
    payload = await context.source.open(request.contentId)
    // What is too large was read all the same, as what is left half taken.
    isLeft = payload !== null
    if (payload === null) await answer('not-found')
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
