import type { Clock } from '#core/clock.ts'
import { beforeAbort } from '#core/deadline.ts'
import { AskedTooOftenError, isOutage } from '../chainErrors.ts'
import type { Head } from './answers.ts'
import type { Endpoint } from './endpoint.ts'
import { type EndpointPool, FIRST_PAUSE_MS } from './endpointPool.ts'

type ExchangeModules = {
  pool: EndpointPool
  /** Takes endpoints out of use that do not serve the chain. @returns the newest blocks of the others. */
  check(): Promise<ReadonlyMap<Endpoint, Head>>
  /** The newest block that this node knows; null before the first. */
  known(): Head | null
  clock: Clock
  /** Ends every wait. */
  signal: AbortSignal
}

/**
 * Runs work with an endpoint.
 *
 * @param lastBlock - that the work reads; the newest known one if it is left out.
 */
export type Exchange = <T>(work: (endpoint: Endpoint) => Promise<T>, lastBlock?: number) => Promise<T>

/**
 * An answer that stays malformed while others are valid is not an outage: after so many, the caller gets the error. `late`: while another endpoint
 * lacks the block that the work reads. That is 15 s, seven blocks of 2 s or one of 12 s.
 */
const MAX_ODD_ANSWERS = { level: 3, late: 6 }
/** Pauses after refusals for the rate of requests: the first, which doubles, and the last. A limit a minute is over by then. */
const FIRST_REST_MS = 1_000
const MAX_REST_MS = 30_000

/**
 * Runs exchanges with the endpoint in use, each until it is answered correctly: through outages, and for a minute through a limit on the rate of
 * requests. What that endpoint keeps failing at, although it serves the chain, is asked of the others.
 */
export function createExchange({ pool, check, known, clock, signal }: ExchangeModules): Exchange {
  /**
   * The answer of one of some endpoints.
   *
   * @returns null if none answers.
   */
  async function answerOfOthers<T>(
    work: (endpoint: Endpoint) => Promise<T>,
    others: readonly Endpoint[],
  ): Promise<{ result: T } | null> {
    for (const other of others) {
      try {
        return { result: await beforeAbort(work(other), signal) }
      } catch (error) {
        if (!isOutage(error)) throw error
      }
    }
    return null
  }

  return async (work, lastBlock = Number.POSITIVE_INFINITY) => {
    let needed: number | null = null
    for (let [odd, restMs] = [0, 0]; ; ) {
      signal.throwIfAborted()
      const [endpoint] = pool.healthy()
      if (endpoint === undefined) {
        await pool.untilBack()
        continue
      }
      try {
        return await beforeAbort(work(endpoint), signal)
      } catch (error) {
        if (!isOutage(error)) throw error
        needed ??= Math.min(lastBlock, known()?.number ?? 0)
        const heads = await beforeAbort(check(), signal)
        if (!pool.healthy().includes(endpoint)) continue
        const isLimited = error instanceof AskedTooOftenError
        if (!isLimited) odd += 1
        const { level, late } = othersAt(needed, heads, endpoint)
        const taken = isLimited || odd >= MAX_ODD_ANSWERS.level ? await answerOfOthers(work, level) : null
        if (taken !== null) return taken.result
        const most = late.length > 0 ? MAX_ODD_ANSWERS.late : MAX_ODD_ANSWERS.level
        if (isLimited ? restMs >= MAX_REST_MS : odd >= most) throw error
        if (isLimited) restMs = restMs === 0 ? FIRST_REST_MS : Math.min(MAX_REST_MS, restMs * 2)
        await clock.sleep(isLimited ? restMs : FIRST_PAUSE_MS * 2 ** odd, signal)
      }
    }
  }
}

/**
 * The endpoints other than one: those that have a block, and those that lack it. The latter would leave out events, and give a nonce that is used: they
 * are not asked before they have it.
 */
function othersAt(needed: number, heads: ReadonlyMap<Endpoint, Head>, endpoint: Endpoint) {
  const others = [...heads.keys()].filter(one => one !== endpoint)
  const isLate = (other: Endpoint) => (heads.get(other)?.number ?? 0) < needed
  return { level: others.filter(one => !isLate(one)), late: others.filter(isLate) }
}
