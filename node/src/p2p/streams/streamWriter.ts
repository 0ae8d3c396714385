import type { Stream } from '@libp2p/interface'
import { StreamError } from './streamError.ts'

/** Sends bytes, and waits while the remote takes no more. */
export async function writeBytes(
  stream: Stream,
  bytes: Uint8Array,
  idleMs: number,
  signal?: AbortSignal,
): Promise<void> {
  if (signal?.aborted) throw new StreamError('aborted', signal.reason)
  if (stream.writeStatus !== 'writable') throw new StreamError('closed')
  if (!stream.send(bytes)) await drained(stream, idleMs, signal)
}

/** Sends bytes behind their length, 4 bytes big-endian. */
export async function writeMessage(
  stream: Stream,
  bytes: Uint8Array,
  idleMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const framed = Buffer.allocUnsafe(4 + bytes.byteLength)
  framed.writeUInt32BE(bytes.byteLength)
  framed.set(bytes, 4)
  await writeBytes(stream, framed, idleMs, signal)
}

/** Closes the writing end, or resets the stream if the remote does not accept the remaining bytes. */
export async function closeStream(stream: Stream, timeoutMs: number): Promise<void> {
  try {
    await stream.close({ signal: AbortSignal.timeout(timeoutMs) })
  } catch (cause) {
    stream.abort(cause instanceof Error ? cause : new StreamError('closed', cause))
  }
}

/** Closes the writing end, and resets the stream if the remote does not close its own in time: it would stay half open. */
export async function finishStream(stream: Stream, timeoutMs: number): Promise<void> {
  await closeStream(stream, timeoutMs)
  if (stream.status !== 'open' && stream.status !== 'closing') return
  await new Promise<void>(resolve => {
    const timer = setTimeout(() => stream.abort(new StreamError('idle')), timeoutMs)
    stream.addEventListener('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** Waits for the `drain` event itself: `stream.onDrain()` waits the first time only. */
function drained(stream: Stream, idleMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (!stream.writableNeedsDrain) return resolve()
    const settle = (error?: StreamError): void => {
      clearTimeout(timer)
      stream.removeEventListener('drain', onDrain)
      stream.removeEventListener('close', onClose)
      signal?.removeEventListener('abort', onAbort)
      if (error === undefined) resolve()
      else reject(error)
    }
    const onDrain = (): void => settle()
    const onClose = (): void => settle(new StreamError('closed'))
    const onAbort = (): void => settle(new StreamError('aborted', signal?.reason))
    const timer = setTimeout(() => settle(new StreamError('idle')), idleMs)
    stream.addEventListener('drain', onDrain)
    stream.addEventListener('close', onClose)
    signal?.addEventListener('abort', onAbort)
  })
}
