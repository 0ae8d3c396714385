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

/** Runs work with an endpoint. */
export type Exchange = <T>(work: (endpoint: Endpoint) => Promise<T>) => Promise<T>

/** An answer that stays malformed while others are valid is not an outage: after so many, the caller gets the error. */
const MAX_ODD_ANSWERS = 3
/** Pauses after refusals for the rate of requests: the first, which doubles, and the last. A limit a minute is over by then. */
const FIRST_REST_MS = 1_000
const MAX_REST_MS = 30_000

/**
 * Runs exchanges with the endpoint in use, each until it is answered correctly: through outages, and for a minute through a limit on the rate of
 * requests. What that endpoint keeps failing at, although it serves the chain, is asked of the others.
 */
export function createExchange({ pool, check, known, clock, signal }: ExchangeModules): Exchange {
  /**
   * The answer of an endpoint other than one. None is asked that lacks the newest known block: it would leave out events, and give a nonce that is used.
   *
   * @returns null if none answers.
   */
  async function answerOfOthers<T>(
    work: (endpoint: Endpoint) => Promise<T>,
    endpoint: Endpoint,
    heads: ReadonlyMap<Endpoint, Head>,
  ): Promise<{ result: T } | null> {
    const knownNumber = known()?.number ?? 0
    for (const [other, { number }] of heads) {
      if (other === endpoint || number < knownNumber) continue
      try {
        return { result: await beforeAbort(work(other), signal) }
      } catch (error) {
        if (!isOutage(error)) throw error
      }
    }
    return null
  }

  return async work => {
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
        const heads = await beforeAbort(check(), signal)
        if (!pool.healthy().includes(endpoint)) continue
        const isLimited = error instanceof AskedTooOftenError
        if (!isLimited) odd += 1
        const taken = isLimited || odd >= MAX_ODD_ANSWERS ? await answerOfOthers(work, endpoint, heads) : null
        if (taken !== null) return taken.result
        if (isLimited ? restMs >= MAX_REST_MS : odd >= MAX_ODD_ANSWERS) throw error
        if (isLimited) restMs = restMs === 0 ? FIRST_REST_MS : Math.min(MAX_REST_MS, restMs * 2)
        await clock.sleep(isLimited ? restMs : FIRST_PAUSE_MS * 2 ** odd, signal)
      }
    }
  }
}
