import type { Stream, StreamCloseEvent, StreamMessageEvent } from '@libp2p/interface'
import { StreamError } from './streamError.ts'

export type StreamReader = {
  /** The next bytes, `max` at most; null at the end of the stream. */
  chunk(max: number): Promise<Uint8Array | null>
  /** Exactly `length` bytes. */
  exactly(length: number): Promise<Uint8Array>
  /** The next message behind a 4-byte big-endian length; null if the stream ends before one begins. */
  message(maxBytes: number): Promise<Uint8Array | null>
  /** Removes the listeners; the caller closes the stream itself. */
  release(): void
}

type StreamReaderOptions = {
  /** Gives up if nothing arrives for this long. */
  idleMs: number
  signal?: AbortSignal
  /** Bytes read ahead before the remote is told to pause. */
  highWaterBytes?: number
}

/**
 * Reads a libp2p stream with back-pressure: bytes that the caller does not request are not read from the remote.
 *
 * Not `for await (… of stream)`, which buffers without bound and, when paused, loses the tail of a stream that the remote
 * closes. And `pause()` is called one microtask late: inside a `message` event, `resume()` undoes it.
 *
 * All methods throw {@link StreamError} when the stream ends early, is reset, stays idle or is aborted.
 */
export function createStreamReader(stream: Stream, options: StreamReaderOptions): StreamReader {
  const buffer = createReadBuffer(stream, options.highWaterBytes ?? 1 << 18)
  let ended = false
  let failure: StreamError | undefined
  let wake: (() => void) | undefined

  const fail = (kind: StreamError['kind'], cause?: unknown): void => {
    failure ??= new StreamError(kind, cause)
    wake?.()
  }
  const onMessage = (event: StreamMessageEvent): void => {
    buffer.add(event.data instanceof Uint8Array ? [event.data] : event.data)
    wake?.()
  }
  const onEnd = (): void => {
    ended = true
    wake?.()
  }
  const onClose = (event: StreamCloseEvent): void => {
    if (event.error !== undefined) fail('closed', event.error)
    else if (stream.readBufferLength === 0) onEnd()
  }
  const onAbort = (): void => fail('aborted', options.signal?.reason)

  async function arrival(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    wake = resolve
    const timer = setTimeout(() => fail('idle'), options.idleMs)
    await promise
    clearTimeout(timer)
    wake = undefined
  }
  async function chunk(max: number): Promise<Uint8Array | null> {
    for (;;) {
      const taken = buffer.take(max)
      if (taken !== null) return taken
      if (failure !== undefined) throw failure
      const resumed = buffer.resumeIfLow()
      // If the remote closed meanwhile, no further event shows that the buffer is empty now.
      if (resumed && stream.status !== 'open' && stream.readBufferLength === 0) onEnd()
      if (!buffer.isEmpty()) continue
      if (ended || stream.readableEnded) return null
      await arrival()
    }
  }

  stream.addEventListener('message', onMessage)
  stream.addEventListener('end', onEnd)
  stream.addEventListener('close', onClose)
  options.signal?.addEventListener('abort', onAbort)
  if (options.signal?.aborted) onAbort()

  return {
    chunk,
    exactly: length => readExactly(chunk, length),
    message: maxBytes => readMessage(chunk, maxBytes),
    release() {
      stream.removeEventListener('message', onMessage)
      stream.removeEventListener('end', onEnd)
      stream.removeEventListener('close', onClose)
      options.signal?.removeEventListener('abort', onAbort)
    },
  }
}

/** Bytes read ahead of the caller; pauses the stream at `highWaterBytes`. */
function createReadBuffer(stream: Stream, highWaterBytes: number) {
  const queue: Uint8Array[] = []
  let queued = 0

  function pauseIfFull(): void {
    if (queued >= highWaterBytes && stream.readStatus === 'readable') stream.pause()
  }

  return {
    isEmpty: () => queue.length === 0,
    add(parts: Iterable<Uint8Array>): void {
      for (const part of parts) {
        queue.push(part)
        queued += part.byteLength
      }
      if (queued >= highWaterBytes) queueMicrotask(pauseIfFull)
    },
    take(max: number): Uint8Array | null {
      const head = queue[0]
      if (head === undefined) return null
      if (head.byteLength <= max) queue.shift()
      else queue[0] = head.subarray(max)
      const taken = head.subarray(0, max)
      queued -= taken.byteLength
      return taken
    },
    /** @returns whether it was paused, and is not any more. */
    resumeIfLow(): boolean {
      if (queued >= highWaterBytes || stream.readStatus !== 'paused') return false
      stream.resume()
      return true
    },
  }
}

async function readExactly(chunk: StreamReader['chunk'], length: number): Promise<Uint8Array> {
  const out = new Uint8Array(length)
  for (let offset = 0; offset < length; ) {
    const bytes = await chunk(length - offset)
    if (bytes === null) throw new StreamError('closed')
    out.set(bytes, offset)
    offset += bytes.byteLength
  }
  return out
}

async function readMessage(chunk: StreamReader['chunk'], maxBytes: number): Promise<Uint8Array | null> {
  const first = await chunk(1)
  if (first === null) return null
  const rest = await readExactly(chunk, 3)
  const length = Buffer.from([...first, ...rest]).readUInt32BE(0)
  if (length > maxBytes) throw new StreamError('too-large')
  return readExactly(chunk, length)
}
