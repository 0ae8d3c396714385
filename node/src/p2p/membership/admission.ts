import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { createTokenBucket } from '../tokenBucket.ts'
import { createFairQueue } from './fairQueue.ts'

/** `busy`: unknown, and the queue of look-ups is full. */
export type Standing = 'registered' | 'unregistered' | 'unknown' | 'busy'

/** Whether each of these peers is registered, in their order, in one call. Rejects if the chain cannot be asked. */
export type LookUp = (peerIds: readonly string[]) => Promise<readonly boolean[]>

/** Whether a peer is asked about because it connects, or because a message names it as its author. */
export type LookUpKind = 'newcomer' | 'author'

export type Admission = {
  /** The known standing of a message's author, without a call. @param source - as for `ask`. */
  standingOf(peerId: string, source: string): Standing
  isRegistered(peerId: string): boolean
  /**
   * Asks the chain if the standing is unknown and the queue is not full. `unknown` if that failed.
   *
   * @param source - subnet of the connection that causes the look-up: a peer id costs nothing, and would be a new source each time.
   */
  ask(peerId: string, source: string, kind?: LookUpKind): Promise<Standing>
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

type Waiting = { peerId: string; kind: LookUpKind; resolve: (standing: Standing) => void }
type Options = { lookUp: LookUp; clock: Clock; logger: Logger; limits?: Partial<AdmissionLimits> }

/**
 * Registrations of peers. Invented ids cost nothing, so the calls that they cause share one limit, and sources take turns within it: a
 * source with a thousand ids does not delay others. Half of each call is for newcomers, so that no number of messages delays those.
 */
export function createAdmission({ lookUp, clock, logger, ...options }: Options): Admission {
  const limits = { ...defaultAdmissionLimits, ...options.limits }
  const known = createKnown(limits.forgetMs, clock)
  const asked = new Map<string, Promise<Standing>>()
  const { of: queueOf, isEmpty, take } = createQueues(limits.perSource)
  const bucket = createTokenBucket(limits.callsPerSecond, limits.burst, clock)
  const stopping = new AbortController()
  let running = false

  const idOf = (peerId: string, kind: LookUpKind) => `${kind} ${peerId}`

  function standingOf(peerId: string, source: string, kind: LookUpKind = 'author'): Standing {
    const standing = known.standingOf(peerId)
    if (standing !== 'unknown' || asked.has(idOf(peerId, kind))) return standing
    return queueOf[kind].takes(source) ? 'unknown' : 'busy'
  }
  async function lookUpBatch(batch: readonly Waiting[]): Promise<void> {
    const answers = await lookUp(batch.map(({ peerId }) => peerId)).catch(error => {
      logger.debug('could not ask whether peers are registered', { peers: batch.length, error })
      return []
    })
    for (const [index, { peerId, kind, resolve }] of batch.entries()) {
      asked.delete(idOf(peerId, kind))
      resolve(known.learn(peerId, answers[index]))
    }
  }
  async function run(): Promise<void> {
    // Look-ups of one turn of the event loop share a call.
    await new Promise(resolve => setImmediate(resolve))
    while (!isEmpty() && !stopping.signal.aborted) {
      const waitMs = bucket.takeMs(1)
      if (waitMs > 0) await clock.sleep(waitMs, stopping.signal)
      await lookUpBatch(take(limits.perCall))
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
        if (!stopping.signal.aborted && !isEmpty()) return start()
        for (const one of take(Number.POSITIVE_INFINITY)) one.resolve('unknown')
      })
  }

  return {
    standingOf: (peerId, source) => standingOf(peerId, source),
    isRegistered: known.isRegistered,
    note: known.note,
    ask(peerId, source, kind = 'author') {
      const standing = standingOf(peerId, source, kind)
      if (standing !== 'unknown') return Promise.resolve(standing)
      // A newcomer does not wait for the turn of a message that named it.
      const before = asked.get(idOf(peerId, kind))
      if (before !== undefined) return before
      const asking = new Promise<Standing>(resolve => queueOf[kind].add(source, { peerId, kind, resolve }))
      asked.set(idOf(peerId, kind), asking)
      start()
      return asking
    },
    stop: () => stopping.abort(),
  }
}

/** The peers that wait, by kind. */
function createQueues(perSource: number) {
  const of = { newcomer: createFairQueue<Waiting>(perSource), author: createFairQueue<Waiting>(perSource) }
  return {
    of: of as Record<LookUpKind, typeof of.author>,
    isEmpty: () => of.newcomer.isEmpty() && of.author.isEmpty(),
    /** Half of `count` for each kind, and what one leaves for the other. */
    take(count: number): Waiting[] {
      const taken = of.newcomer.take(Math.ceil(count / 2))
      taken.push(...of.author.take(count - taken.length))
      return [...taken, ...of.newcomer.take(count - taken.length)]
    },
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
