/** A signal that Ctrl-C aborts: current work ends cleanly, and then the command (see `commandLine.ts`). */
export function untilInterrupted(): AbortSignal {
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  return stop.signal
}

/** A signal that Ctrl-C, a service manager and a terminal that is closed (SIGHUP) abort, for a clean shutdown. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  // More than once: a shell passes it on to its jobs, and the kernel sends it again when the shell ends.
  process.on('SIGHUP', () => stop.abort())
  return stop.signal
}

/** Whether an error says that a signal was aborted. */
export function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
