import type { Hex } from '#core/hex.ts'
import type { LogFields, Logger } from '#core/logger.ts'

/**
 * Reason why a peer's payload does not count.
 *
 * `unavailable`: nobody served the bytes. `oversized`: more bytes than the environment allows. `too slow`: below the minimum
 * pace. `malformed`: not a payload of its kind. `another`: not the one that its peer committed.
 * `unsure`: answers follow within twice the tolerance but not within it, so others may find them true or false.
 * `not sampled`: answers do not follow from the named policy. `unpaid base`: their policy adapts a model that the environment
 * does not pay for. `no base`: their policy adapts a base that this node does not hold, or had to give up for another. `failed`: processing it threw, which is a defect of this node, perhaps provoked. `no time`: this node ran out of time before it
 * requested or processed it.
 */
export type PeerFault = {
  ok: false
  fault:
    | 'unavailable'
    | 'oversized'
    | 'too slow'
    | 'malformed'
    | 'another'
    | 'unsure'
    | 'not sampled'
    | 'unpaid base'
    | 'no base'
    | 'failed'
    | 'no time'
  reason: string
  /** With `no base`: the base, by the hash of its weights. */
  base?: Hex
}

/** The result of a peer's input: never an exception. */
export type PeerResult<T> = { ok: true; value: T } | PeerFault

export const peerFault = (fault: PeerFault['fault'], reason: string): PeerFault => ({ ok: false, fault, reason })

/** Whether everybody can prove that the committed bytes are wrong. Any other fault may be our own. */
export function isProven({ fault }: PeerFault): boolean {
  return fault === 'malformed' || fault === 'another' || fault === 'not sampled' || fault === 'unpaid base'
}

/** Whether the payload was unavailable, so that the chain may demand it. A payload that arrived but was not processed is not missing. */
export function isMissing({ fault }: PeerFault): boolean {
  return fault === 'unavailable' || fault === 'oversized' || fault === 'too slow'
}

type PeerWorkContext = { about: LogFields; logger: Logger; signal: AbortSignal }

/**
 * Runs work on a peer's input, and turns exceptions into a result about that peer. The work must only compute: faults of the chain or the
 * disk are not the peer's.
 *
 * @param signal - the node's; once it aborts, errors are those of stopping and are thrown.
 */
export async function peerWork<T>(
  { about, logger, signal }: PeerWorkContext,
  work: () => Promise<PeerResult<T>>,
): Promise<PeerResult<T>> {
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    logger.error('processing the data of a peer failed', { ...about, error })
    return peerFault('failed', error instanceof Error ? error.message : String(error))
  }
}

/**
 * The result of work on a peer's input, or a fault if it is late: the work ends by itself.
 *
 * @param stopping - the node's; once it aborts, its reason is thrown, since a stop is not the peer's fault.
 */
export async function resultInTime<T>(
  work: Promise<PeerResult<T>>,
  signal: AbortSignal,
  stopping: AbortSignal,
): Promise<PeerResult<T>> {
  const late = Promise.withResolvers<PeerResult<T>>()
  const end = () => late.resolve(peerFault('no time', 'no time was left for it'))
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  try {
    return await Promise.race([work, late.promise])
  } catch (error) {
    if (signal.aborted) return await late.promise
    throw error
  } finally {
    signal.removeEventListener('abort', end)
    stopping.throwIfAborted()
  }
}
