import type { PeerId, Stream } from '@libp2p/interface'
import { type Clock, MAX_TIMER_MS } from '#core/clock.ts'
import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import type { PeerGuard } from '../connections/peerGuard.ts'
import { StreamError } from '../streams/streamError.ts'
import { createStreamReader, type StreamReader } from '../streams/streamReader.ts'
import { createPeerBuckets } from '../tokenBucket.ts'

/**
 * Frames of one peer, per second and in a burst. At the start of a round of twenty thousand peers, a neighbour of a follower sends some tens of
 * thousands of announcements and lists of ids within a minute.
 */
const FRAMES = { perSecond: 1_024, burst: 16_384 }
/** A longer frame counts as several. */
const FRAME_BYTES = 2_048
/** Shorter waits are added up. */
const LEAST_WAIT_MS = 250
/** For each wait: half a minute above the pace leads to a ban. */
const WAIT_POINTS = 1

/** The private parts of gossipsub that read what a peer sends. */
type Reading = {
  readonly streamsInbound: ReadonlyMap<string, { readonly rawStream: Stream }>
  pipePeerReadStream(peer: PeerId, frames: AsyncIterable<Uint8Array>): Promise<void>
}

type Modules = { maxFrameBytes: number; guard: Pick<PeerGuard, 'penalise'>; clock: Clock }

/**
 * Makes gossipsub read each peer in turns of the event loop, and no faster than a pace.
 *
 * By itself it reads all frames that have arrived in one chain of microtasks, and rates no frame without messages: a megabyte of empty frames
 * kept timers and sockets waiting for 5 s, from anybody who is connected. Read slowly, its own iterator would keep all that arrives.
 */
export function paceGossip<T>(service: T, { maxFrameBytes, guard, clock }: Modules): T {
  const gossip = service as unknown as Reading
  const read = gossip.pipePeerReadStream.bind(service)
  const bucketOf = createPeerBuckets(FRAMES.perSecond, FRAMES.burst, clock)

  async function* paced(peer: string, reader: StreamReader) {
    try {
      for (let frame = await readFrame(reader, maxFrameBytes); frame; frame = await readFrame(reader, maxFrameBytes)) {
        const waitMs = bucketOf(peer).takeMs(Math.max(1, frame.byteLength / FRAME_BYTES))
        if (waitMs >= LEAST_WAIT_MS) {
          guard.penalise(peer, WAIT_POINTS, 'sends gossip faster than it is read')
          await clock.sleep(waitMs)
        }
        await yieldToEventLoop()
        yield frame
      }
    } finally {
      reader.release()
    }
  }
  gossip.pipePeerReadStream = async (peer, frames) => {
    const id = peer.toString()
    const stream = gossip.streamsInbound.get(id)?.rawStream
    // A connection may be silent for as long as nobody has news.
    return read(peer, stream ? paced(id, createStreamReader(stream, { idleMs: MAX_TIMER_MS })) : frames)
  }
  return service
}

/** Lengths are at most this many bytes, seven bits each. */
const LENGTH_BYTES = 4

/** The bytes behind a length; null at the end. @throws {StreamError} if the stream ends early, or above the maximum. */
async function readFrame(reader: StreamReader, maxBytes: number): Promise<Uint8Array | null> {
  let length = 0
  for (let at = 0; at < LENGTH_BYTES; at += 1) {
    const [byte] = (await reader.chunk(1)) ?? []
    if (byte === undefined && at === 0) return null
    if (byte === undefined) throw new StreamError('closed')
    length += (byte & 0x7f) << (7 * at)
    if (byte < 0x80) break
    if (at === LENGTH_BYTES - 1) throw new StreamError('too-large')
  }
  if (length > maxBytes) throw new StreamError('too-large')
  return reader.exactly(length)
}
