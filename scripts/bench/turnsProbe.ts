/**
 * Loaded into every process of a swarm by `bench -- loop`; measures those that are peers.
 *
 * A turn is what the main thread computes between two calls of a timer of one millisecond: callbacks of one pass of the event
 * loop and all that they chain. It is counted in processor time, so that other processes do not count.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/** Turns shorter than this are only counted. */
const KEPT_FROM_MS = 10

/** A turn's end, in milliseconds since the process began; its processor time; true if the whole heap was collected in it. */
export type Turn = { atMs: number; ms: number; collected: boolean }

/** A peer's record at its end. `startedMs` is null if it never started. */
export type PeerTurns = { role: string; startedMs: number | null; count: number; seconds: number; turns: Turn[] }

type Collection = PerformanceEntry & { detail: { kind: number } }

const folder = process.env.WAGGLE_BENCH_TURNS
const [, main = '', command, ...argv] = process.argv
if (isMainThread && folder && command === 'start' && main.endsWith('node/src/cli/main.ts')) watch(folder)

function watch(into: string): void {
  const long: { begunMs: number; atMs: number; ms: number }[] = []
  /** Ends of the collections of the whole heap. */
  const collections: number[] = []
  const observer = new PerformanceObserver(list => {
    for (const { startTime, duration, detail } of list.getEntries() as Collection[])
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections.push(startTime + duration)
  })
  observer.observe({ entryTypes: ['gc'] })
  let count = 0
  let last = usedMs()
  let begunMs = performance.now()
  const turn = (): void => {
    const ms = usedMs() - last
    count += 1
    if (ms >= KEPT_FROM_MS) long.push({ begunMs, atMs: performance.now(), ms })
    last = usedMs()
    begunMs = performance.now()
    setTimeout(turn, 1).unref()
  }
  setTimeout(turn, 1).unref()
  process.on('exit', () => {
    const role = argv[argv.indexOf('--role') + 1] ?? ''
    const startedMs = performance.getEntriesByName('waggle:started')[0]?.startTime ?? null
    const turns = long.map(({ begunMs, atMs, ms }) => ({
      atMs,
      ms,
      collected: collections.some(ended => ended >= begunMs && ended <= atMs),
    }))
    const left: PeerTurns = { role, startedMs, count, seconds: performance.now() / 1000, turns }
    writeFileSync(join(into, `${role}-${process.pid}.json`), JSON.stringify(left))
  })
}

function usedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
