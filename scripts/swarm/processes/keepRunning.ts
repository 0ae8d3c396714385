import { setTimeout as sleep } from 'node:timers/promises'
import { logTail, type Managed, type Supervisor } from './supervisor.ts'

/** More exits than this within the window stop the swarm. */
const MAX_RESTARTS = 5
const WINDOW_MS = 60_000

type Start = (onExit: (status: number | string) => void) => Promise<Managed>

/**
 * Starts processes and starts again those that end unasked.
 *
 * @returns starts one; one that keeps ending stops the swarm, with the end of its log.
 */
export function keepRunning(supervisor: Supervisor, stop: AbortController, say: (line: string) => void) {
  const ends = new Map<string, number[]>()
  const giveUp = async (name: string, status: number | string) => {
    const path = supervisor.logPath(name)
    say(`${name} ended (${status}) again and again; the end of ${path}:\n${await logTail(path)}`)
    process.exitCode = 1
    stop.abort(new Error(`${name} does not stay up`))
  }
  const keep = async (name: string, start: Start): Promise<void> => {
    await start(status => {
      const now = performance.now()
      const recent = [...(ends.get(name) ?? []).filter(atMs => now - atMs < WINDOW_MS), now]
      ends.set(name, recent)
      if (stop.signal.aborted) return
      if (recent.length > MAX_RESTARTS) return void giveUp(name, status)
      say(`${name} ended (${status}); starting it again`)
      sleep(500, undefined, { signal: stop.signal })
        .then(() => keep(name, start))
        .catch(error => {
          if (!stop.signal.aborted) say(`${name} did not start again: ${(error as Error).message}`)
        })
    })
  }
  return keep
}
