import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { createTokenBucket } from '../transfer/tokenBucket.ts'
import { createFairQueue } from './fairQueue.ts'

/** `busy`: unknown, and the queue of look-ups is full. */
export type Standing = 'registered' | 'unregistered' | 'unknown' | 'busy'

/** Whether each of these peers is registered, in their order, in one call. Rejects if the chain cannot be asked. */
export type LookUp = (peerIds: readonly string[]) => Promise<readonly boolean[]>

export type Admission = {
  /** The known standing, without a call. @param source - the peer that causes the look-up. */
  standingOf(peerId: string, source: string): Standing
  isRegistered(peerId: string): boolean
  /** Asks the chain if the standing is unknown and the queue is not full. `unknown` if that failed. */
  ask(peerId: string, source: string): Promise<Standing>
  /** Records from another source that a peer is registered. Registration is permanent. */
  note(peerId: string): void
  stop(): void
}

type AdmissionLimits = {
  callsPerSecond: number
  burst: number
  /** Peers asked about in one call. */
  perCall: number
  /** Peers waiting that one source asked about. */
  perSource: number
  /** After which an unregistered peer is asked about again: it may have registered. */
  forgetMs: number
}

const defaultAdmissionLimits: AdmissionLimits = {
  callsPerSecond: 1,
  burst: 8,
  perCall: 128,
  perSource: 64,
  forgetMs: 5_000,
}

/** Maximum of remembered unregistered ids; a flood of invented ones displaces only other unregistered ones. */
const MAX_UNREGISTERED = 10_000
/** Maximum of remembered registered ids. One costs a transaction. */
const MAX_REGISTERED = 100_000

type Waiting = { peerId: string; resolve: (standing: Standing) => void }
type Options = { lookUp: LookUp; clock: Clock; logger: Logger; limits?: Partial<AdmissionLimits> }

/**
 * Registrations of peers. Invented ids cost nothing, so the calls that they cause share one limit, and sources take turns within it: a
 * source with a thousand ids does not delay others.
 */
export function createAdmission({ lookUp, clock, logger, ...options }: Options): Admission {
  const limits = { ...defaultAdmissionLimits, ...options.limits }
  const known = createKnown(limits.forgetMs, clock)
  const asked = new Map<string, Promise<Standing>>()
  const queue = createFairQueue<Waiting>(limits.perSource)
  const bucket = createTokenBucket(limits.callsPerSecond, limits.burst, clock)
  const stopping = new AbortController()
  let running = false

  function standingOf(peerId: string, source: string): Standing {
    const standing = known.standingOf(peerId)
    if (standing !== 'unknown' || asked.has(peerId)) return standing
    return queue.takes(source) ? 'unknown' : 'busy'
  }
  async function lookUpBatch(batch: readonly Waiting[]): Promise<void> {
    const answers = await lookUp(batch.map(({ peerId }) => peerId)).catch(error => {
      logger.debug('could not ask whether peers are registered', { peers: batch.length, error })
      return []
    })
    for (const [index, { peerId, resolve }] of batch.entries()) {
      asked.delete(peerId)
      resolve(known.learn(peerId, answers[index]))
    }
  }
  async function run(): Promise<void> {
    // Look-ups of one turn of the event loop share a call.
    await new Promise(resolve => setImmediate(resolve))
    while (!queue.isEmpty() && !stopping.signal.aborted) {
      const waitMs = bucket.takeMs(1)
      if (waitMs > 0) await clock.sleep(waitMs, stopping.signal)
      await lookUpBatch(queue.take(limits.perCall))
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
        if (!stopping.signal.aborted && !queue.isEmpty()) return start()
        for (const one of queue.take(Number.POSITIVE_INFINITY)) one.resolve('unknown')
      })
  }

  return {
    standingOf,
    isRegistered: known.isRegistered,
    note: known.note,
    ask(peerId, source) {
      const standing = standingOf(peerId, source)
      if (standing !== 'unknown') return Promise.resolve(standing)
      const before = asked.get(peerId)
      if (before !== undefined) return before
      const asking = new Promise<Standing>(resolve => queue.add(source, { peerId, resolve }))
      asked.set(peerId, asking)
      start()
      return asking
    },
    stop: () => stopping.abort(),
  }
}

/** Without a registry, everybody is registered. */
export const admitAll: Admission = {
  standingOf: () => 'registered',
  isRegistered: () => true,
  ask: async () => 'registered',
  note: () => {},
  stop: () => {},
}

/** A bounded cache of registrations. */
function createKnown(forgetMs: number, clock: Clock) {
  const registered = new Set<string>()
  const unregisteredAtMs = new Map<string, number>()

  function isUnregistered(peerId: string): boolean {
    const atMs = unregisteredAtMs.get(peerId)
    return atMs !== undefined && clock.nowMs() - atMs < forgetMs
  }
  function note(peerId: string): void {
    registered.delete(peerId)
    registered.add(peerId)
    dropOldest(registered, MAX_REGISTERED)
    unregisteredAtMs.delete(peerId)
  }

  return {
    note,
    isRegistered: (peerId: string) => registered.has(peerId),
    standingOf(peerId: string): Standing {
      if (registered.has(peerId)) return 'registered'
      return isUnregistered(peerId) ? 'unregistered' : 'unknown'
    },
    /** @param isRegistered - undefined if the chain could not be asked. */
    learn(peerId: string, isRegistered: boolean | undefined): Standing {
      if (isRegistered === undefined) return 'unknown'
      if (isRegistered) {
        note(peerId)
        return 'registered'
      }
      unregisteredAtMs.delete(peerId)
      unregisteredAtMs.set(peerId, clock.nowMs())
      dropOldest(unregisteredAtMs, MAX_UNREGISTERED)
      return 'unregistered'
    },
  }
}

function dropOldest(kept: Set<string> | Map<string, number>, max: number): void {
  const oldest = kept.keys().next()
  if (kept.size > max && !oldest.done) kept.delete(oldest.value)
}
