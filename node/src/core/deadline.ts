import { MAX_TIMER_MS } from './clock.ts'

/**
 * A signal that aborts with another one, or after `ms` at the latest.
 *
 * Not `AbortSignal.any` over `AbortSignal.timeout`: up to Node 22 nothing but the composite knows of the timeout, and only
 * weakly, so that a garbage collection takes the deadline away and what waits for it waits for ever.
 *
 * @param ms - at least 1 is waited, and 25 days at most.
 */
export function withDeadline(signal: AbortSignal | undefined, ms: number): AbortSignal {
  const deadline = new AbortController()
  const end = (reason: unknown): void => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', ended)
    deadline.abort(reason)
  }
  const ended = (): void => end(signal?.reason)
  const waitMs = Math.min(MAX_TIMER_MS, Math.max(1, Math.round(ms)))
  const timer = setTimeout(() => end(new DOMException('The time is up.', 'TimeoutError')), waitMs)
  timer.unref()
  signal?.addEventListener('abort', ended, { once: true })
  if (signal?.aborted) ended()
  return deadline.signal
}

/** The work's result, if that comes before the abort. @throws the signal's reason. */
export function beforeAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort))
}
