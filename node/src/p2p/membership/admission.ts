import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { createTokenBucket } from '../tokenBucket.ts'

/** `busy`: unknown, and the queue of look-ups is full. */
export type Standing = 'registered' | 'unregistered' | 'unknown' | 'busy'

/** Which of these peers are registered, in their order, in one call. Rejects where the chain cannot be asked. */
export type LookUp = (peerIds: readonly string[]) => Promise<readonly boolean[]>

export type Admission = {
  /** What is known; asks nobody. @param source - whoever would have the look-up made. */
  standingOf(peerId: string, source: string): Standing
  isRegistered(peerId: string): boolean
  /** Asks the chain if the standing is unknown and the queue is not full. `unknown` if that failed. */
  ask(peerId: string, source: string): Promise<Standing>
  /** Records from another source that a peer is registered. Registration is permanent. */
  note(peerId: string): void
  stop(): void
}

export type AdmissionLimits = {
  callsPerSecond: number
  burst: number
  /** Peers asked about in one call. */
  perCall: number
  /** Peers waiting that one source asked about. */
  perSource: number
  /** After which an unregistered peer is asked about again: it may have registered. */
  forgetMs: number
}

export const defaultAdmissionLimits: AdmissionLimits = {
  callsPerSecond: 1,
  burst: 8,
  perCall: 64,
  perSource: 64,
  forgetMs: 5_000,
}

/** Unregistered ids remembered at most; a flood of made-up ones pushes out only others of their kind. */
const MAX_UNREGISTERED = 10_000
/** Registered ids remembered at most. One costs a transaction. */
const MAX_REGISTERED = 100_000
const MAX_SOURCES = 512

type Waiting = { peerId: string; resolve: (standing: Standing) => void }
type Options = { lookUp: LookUp; clock: Clock; logger: Logger; limits?: Partial<AdmissionLimits> }

/**
 * Who is registered. Unknown ids cost nothing to make up, so there is one limit on the calls that they cause, and sources
 * take turns within it: whoever brings a thousand keeps nobody else's from being asked about.
 */
export function createAdmission({ lookUp, clock, logger, ...options }: Options): Admission {
  const limits = { ...defaultAdmissionLimits, ...options.limits }
  const registered = new Set<string>()
  const unregisteredAtMs = new Map<string, number>()
  const asked = new Map<string, Promise<Standing>>()
  /** By source, which take turns in the order of this map. */
  const queues = new Map<string, Waiting[]>()
  const bucket = createTokenBucket(limits.callsPerSecond, limits.burst, clock)
  const stopping = new AbortController()
  let running = false

  function isUnregistered(peerId: string): boolean {
    const atMs = unregisteredAtMs.get(peerId)
    return atMs !== undefined && clock.nowMs() - atMs < limits.forgetMs
  }
  function standingOf(peerId: string, source: string): Standing {
    if (registered.has(peerId)) return 'registered'
    if (isUnregistered(peerId)) return 'unregistered'
    if (asked.has(peerId)) return 'unknown'
    const queue = queues.get(source)
    if (queue === undefined) return queues.size < MAX_SOURCES ? 'unknown' : 'busy'
    return queue.length < limits.perSource ? 'unknown' : 'busy'
  }
  function note(peerId: string): void {
    put(registered, peerId, MAX_REGISTERED)
    unregisteredAtMs.delete(peerId)
  }
  function learn(peerId: string, isRegistered: boolean | undefined): Standing {
    if (isRegistered === undefined) return 'unknown'
    if (isRegistered) {
      note(peerId)
      return 'registered'
    }
    unregisteredAtMs.delete(peerId)
    unregisteredAtMs.set(peerId, clock.nowMs())
    const oldest = unregisteredAtMs.keys().next()
    if (unregisteredAtMs.size > MAX_UNREGISTERED && !oldest.done) unregisteredAtMs.delete(oldest.value)
    return 'unregistered'
  }
  /** One of each source in turn. */
  function takeBatch(): Waiting[] {
    const batch: Waiting[] = []
    while (batch.length < limits.perCall && queues.size > 0) {
      for (const [source, queue] of [...queues]) {
        if (batch.length >= limits.perCall) break
        queues.delete(source)
        batch.push(...queue.splice(0, 1))
        if (queue.length > 0) queues.set(source, queue)
      }
    }
    return batch
  }
  async function lookUpBatch(batch: readonly Waiting[]): Promise<void> {
    const answers = await lookUp(batch.map(({ peerId }) => peerId)).catch(error => {
      logger.debug('could not ask whether peers are registered', { peers: batch.length, error })
      return []
    })
    for (const [index, { peerId, resolve }] of batch.entries()) {
      asked.delete(peerId)
      resolve(learn(peerId, answers[index]))
    }
  }
  async function run(): Promise<void> {
    // All that come within this turn of the event loop share one call.
    await new Promise(resolve => setImmediate(resolve))
    while (queues.size > 0 && !stopping.signal.aborted) {
      const waitMs = bucket.takeMs(1)
      if (waitMs > 0) await clock.sleep(waitMs, stopping.signal)
      await lookUpBatch(takeBatch())
    }
  }
  function start(): void {
    if (running) return
    running = true
    run()
      .catch(error => {
        if (!stopping.signal.aborted) logger.error('stopped asking whether peers are registered', { error })
      })
      .finally(() => {
        running = false
        if (!stopping.signal.aborted && queues.size > 0) return start()
        for (const one of [...queues.values()].flat()) one.resolve('unknown')
        queues.clear()
      })
  }

  return {
    standingOf,
    isRegistered: peerId => registered.has(peerId),
    note,
    ask(peerId, source) {
      const standing = standingOf(peerId, source)
      if (standing !== 'unknown') return Promise.resolve(standing)
      const before = asked.get(peerId)
      if (before !== undefined) return before
      const asking = new Promise<Standing>(resolve => {
        const queue = queues.get(source) ?? []
        queues.set(source, queue)
        queue.push({ peerId, resolve })
      })
      asked.set(peerId, asking)
      start()
      return asking
    },
    stop: () => stopping.abort(),
  }
}

/** Where there is no registry: everybody is registered. */
export const admitAll: Admission = {
  standingOf: () => 'registered',
  isRegistered: () => true,
  ask: async () => 'registered',
  note: () => {},
  stop: () => {},
}

function put(set: Set<string>, value: string, max: number): void {
  set.delete(value)
  set.add(value)
  const oldest = set.keys().next()
  if (set.size > max && !oldest.done) set.delete(oldest.value)
}
