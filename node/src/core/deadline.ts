import { MAX_TIMER_MS } from './clock.ts'

/**
 * A signal that aborts with another one, or after `ms`. Not `AbortSignal.any` over `AbortSignal.timeout`: up to Node 22 only the
 * composite refers to the timeout, and weakly, so that garbage collection can remove the deadline and its waiters hang.
 *
 * @param ms - the wait is at least 1 ms and at most 25 days.
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

/** The work's result, if it settles before the abort. @throws the signal's reason. */
export function beforeAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort))
}
