import { isDiskFull } from '../../../node/src/store/diskSpace.ts'

/**
 * Aborts on a signal to stop, which is SIGHUP if the terminal is closed, and once nobody reads the output: a swarm must not end before the processes
 * that it started. Output that cannot be written is dropped.
 */
export function stopRequests(): AbortController {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (!stop.signal.aborted) console.error('\nstopping …')
      stop.abort()
    })
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', error => {
      if (!isDiskFull(error)) stop.abort()
    })
  return stop
}
