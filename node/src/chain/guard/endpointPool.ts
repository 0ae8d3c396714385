import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import type { Head } from './answers.ts'
import type { Endpoint } from './endpoint.ts'
import { type CheckModules, createEndpointCheck } from './endpointCheck.ts'

type PoolModules = Pick<CheckModules, 'identity' | 'faultOfHead'> & {
  endpoints: readonly Endpoint[]
  clock: Clock
  logger: Logger
  /** Ends every wait. */
  signal: AbortSignal
}

export type EndpointPool = {
  /** Endpoints that work, in the given order: the first is in use. */
  healthy(): readonly Endpoint[]
  /** Takes an endpoint out of use, and checks it again until it works. */
  markOut(endpoint: Endpoint, reason: string): void
  /** Takes endpoints out of use that do not serve the chain. @returns the newest blocks of the others. */
  check(): Promise<ReadonlyMap<Endpoint, Head>>
  /** Resolves once an endpoint works again; rejects with the signal's reason. */
  untilBack(): Promise<void>
}

/** Between checks of an endpoint that is out: the first pause, which doubles, and the longest. */
export const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 30_000

/** Endpoints that work, and the others until they do. */
export function createEndpointPool(modules: PoolModules): EndpointPool {
  const { endpoints, clock, logger, signal } = modules
  const outSinceMs = new Map<Endpoint, number>()
  let back = Promise.withResolvers<void>()

  const healthy = () => endpoints.filter(endpoint => !outSinceMs.has(endpoint))
  const check = createEndpointCheck({ ...modules, healthy, markOut })

  function markOut(endpoint: Endpoint, reason: string): void {
    if (outSinceMs.has(endpoint)) return
    outSinceMs.set(endpoint, clock.nowMs())
    const others = healthy().length
    if (others === 0) back = Promise.withResolvers<void>()
    const said = others === 0 ? 'waiting for the chain' : 'an endpoint is out; asking the other'
    logger.warn(said, { endpoint: endpoint.origin, reason })
    void recover(endpoint).catch(() => undefined) // only the node's stop ends it early
  }

  async function recover(endpoint: Endpoint): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
      await clock.sleep(pauseMs, signal)
      if ((await check(endpoint)).fault === null) break
    }
    const seconds = Math.round((clock.nowMs() - (outSinceMs.get(endpoint) ?? 0)) / 1000)
    const said = healthy().length === 0 ? 'the chain answers again' : 'an endpoint is back'
    outSinceMs.delete(endpoint)
    logger.info(said, { endpoint: endpoint.origin, seconds })
    back.resolve()
  }

  return {
    healthy,
    markOut,
    async check() {
      const heads = new Map<Endpoint, Head>()
      for (const endpoint of healthy()) {
        const checked = await check(endpoint)
        if (checked.fault === null) heads.set(endpoint, checked.head)
        else markOut(endpoint, checked.fault)
      }
      return heads
    },
    async untilBack() {
      const stopped = Promise.withResolvers<never>()
      const stop = () => stopped.reject(signal.reason)
      signal.addEventListener('abort', stop, { once: true })
      await Promise.race([back.promise, stopped.promise]).finally(() => signal.removeEventListener('abort', stop))
    },
  }
}
