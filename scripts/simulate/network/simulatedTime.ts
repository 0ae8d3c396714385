import { randomStream } from '../../../node/model/src/base/random.ts'
import { type Clock, systemClock } from '../../../node/src/core/clock.ts'

/** Unix time at which every simulation begins, milliseconds. */
export const EPOCH_MS = 1_800_000_000_000

type Event = { atMs: number; order: number; work: () => void; isCancelled: boolean }

/** Time that passes when nothing else is left to do. */
export interface SimulatedTime {
  nowMs(): number
  /** @returns a function that cancels it. */
  after(ms: number, work: () => void): () => void
  /** Runs all that is due until a moment. */
  runUntil(atMs: number): Promise<void>
  /** Events that were run: two runs that differ differ here first. */
  events(): number
}

/** For what runs in a simulation. The system's own never falls, and every simulation begins at the same time. */
export const simulatedClock: Clock = { ...systemClock, nowMs: () => Date.now() }

const real = { setImmediate, now: performance.now.bind(performance) }
const names = ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'] as const

/** `performance.now` of the next simulation: what is kept of one before must not seem to be of its future. */
let base = Math.ceil(real.now())

/**
 * Runs `play` with every timer, clock and random number of this process simulated, so that it is a function of its seed alone. It must do
 * no real input or output, which simulated time does not wait for. Only one at a time.
 */
export async function inSimulatedTime<T>(seed: string, play: (time: SimulatedTime) => Promise<T>): Promise<T> {
  const saved = names.map(name => Object.getOwnPropertyDescriptor(globalThis, name))
  const [dateNow, random] = [Date.now, Math.random]
  const { time, timers } = createTime()
  Object.assign(globalThis, timers)
  Date.now = time.nowMs
  const startedAt = base
  performance.now = () => startedAt + time.nowMs() - EPOCH_MS
  const stream = randomStream('network simulation', seed)
  Math.random = () => stream.uniform()
  try {
    return await play(time)
  } finally {
    base = performance.now() + 1_000
    for (const [at, name] of names.entries()) Object.defineProperty(globalThis, name, saved[at] as PropertyDescriptor)
    Date.now = dateNow
    Math.random = random
    Reflect.deleteProperty(performance, 'now')
  }
}

function createTime() {
  const queue: Event[] = []
  let now = EPOCH_MS
  let order = 0
  let events = 0

  function schedule(ms: number, work: () => void): Event {
    const event = { atMs: now + Math.max(0, Math.ceil(ms) || 0), order: order++, work, isCancelled: false }
    push(queue, event)
    return event
  }
  const time: SimulatedTime = {
    nowMs: () => now,
    events: () => events,
    after(ms, work) {
      const event = schedule(ms, work)
      return () => {
        event.isCancelled = true
      }
    },
    async runUntil(atMs) {
      await settled()
      for (let next = queue[0]; next !== undefined && next.atMs <= atMs; next = queue[0]) {
        pop(queue)
        if (next.isCancelled) continue
        now = next.atMs
        events += 1
        next.work()
        await settled()
      }
      now = Math.max(now, atMs)
    },
  }
  const start = (work: (...args: unknown[]) => void, ms: number, args: unknown[]) => {
    const event = schedule(ms, () => work(...args))
    const timer = { event, ref: () => timer, unref: () => timer, hasRef: () => true }
    return timer
  }
  type Timer = ReturnType<typeof start> | undefined
  const clear = (timer: Timer) => {
    if (timer?.event !== undefined) timer.event.isCancelled = true
  }
  const timers = {
    setTimeout: (work: () => void, ms = 0, ...args: unknown[]) => start(work, ms, args),
    clearTimeout: clear,
    setImmediate: (work: () => void, ...args: unknown[]) => start(work, 0, args),
    clearImmediate: clear,
  }
  return { time, timers }
}

/** Resolves once all promises that can are settled. */
const settled = () => new Promise<void>(resolve => real.setImmediate(resolve))

const isBefore = (a: Event, b: Event) => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)

/** A binary heap. */
function push(heap: Event[], event: Event): void {
  let at = heap.push(event) - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!isBefore(event, heap[parent] as Event)) break
    heap[at] = heap[parent] as Event
    at = parent
  }
  heap[at] = event
}

function pop(heap: Event[]): void {
  const last = heap.pop() as Event
  if (heap.length === 0) return
  let at = 0
  for (let child = 1; child < heap.length; child = 2 * at + 1) {
    if (child + 1 < heap.length && isBefore(heap[child + 1] as Event, heap[child] as Event)) child += 1
    if (!isBefore(heap[child] as Event, last)) break
    heap[at] = heap[child] as Event
    at = child
  }
  heap[at] = last
}
