/** A signal that Ctrl-C aborts: current work ends cleanly, and then the command (see `commandLine.ts`). */
export function untilInterrupted(): AbortSignal {
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  return stop.signal
}

/** A signal that Ctrl-C and a service manager abort, for a clean shutdown. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  return stop.signal
}

/** Whether an error says that a signal was aborted. */
export function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
