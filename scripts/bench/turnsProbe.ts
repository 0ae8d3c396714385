/**
 * Loaded into every process of a swarm by `bench -- loop`; measures those that are peers.
 *
 * A turn is what the main thread computes between two calls of a timer of one millisecond: callbacks of one pass of the event
 * loop and all that they chain. It is counted in processor time, so that other processes do not count.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'

/** Turns shorter than this are only counted. */
const KEPT_FROM_MS = 10

/** What a peer leaves when it ends. `turns`: [milliseconds since the process began, milliseconds of processor time]. */
export type PeerTurns = {
  role: string
  startedMs: number | null
  count: number
  seconds: number
  turns: [number, number][]
}

const folder = process.env.WAGGLE_BENCH_TURNS
const [, main = '', command, ...argv] = process.argv
if (isMainThread && folder && command === 'start' && main.endsWith('node/src/cli/main.ts')) watch(folder)

function watch(into: string): void {
  const turns: [number, number][] = []
  let count = 0
  let last = usedMs()
  const turn = (): void => {
    const ms = usedMs() - last
    count += 1
    if (ms >= KEPT_FROM_MS) turns.push([performance.now(), ms])
    last = usedMs()
    setTimeout(turn, 1).unref()
  }
  setTimeout(turn, 1).unref()
  process.on('exit', () => {
    const role = argv[argv.indexOf('--role') + 1] ?? ''
    const startedMs = performance.getEntriesByName('waggle:started')[0]?.startTime ?? null
    const left: PeerTurns = { role, startedMs, count, seconds: performance.now() / 1000, turns }
    writeFileSync(join(into, `${role}-${process.pid}.json`), JSON.stringify(left))
  })
}

function usedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
