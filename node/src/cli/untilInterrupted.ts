/** A signal that Ctrl-C aborts: current work ends cleanly, and then the command (see `commandLine.ts`). */
export function untilInterrupted(): AbortSignal {
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  return stop.signal
}

let isAskedToStop = false

/** Whether a signal of {@link stopSignal} has come. What reads the output of the process may have ended by the same one. */
export const isStopping = (): boolean => isAskedToStop

/** A signal that Ctrl-C, a service manager and a terminal that is closed (SIGHUP) abort, for a clean shutdown. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController()
  const end = () => {
    isAskedToStop = true
    stop.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end)
  // More than once: a shell passes it on to its jobs, and the kernel sends it again when the shell ends.
  process.on('SIGHUP', end)
  return stop.signal
}

/** Whether an error says that a signal was aborted. */
export function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
