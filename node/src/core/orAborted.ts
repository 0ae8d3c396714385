/** Rejects with the signal's reason as soon as it is aborted; the shared promise continues for others. */
export function orAborted<T>(shared: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
