import type { Clock } from '#core/clock.ts'
import { beforeAbort } from '#core/deadline.ts'
import type { Logger } from '#core/logger.ts'
import { ChainUnreachableError } from '../chainErrors.ts'
import { type Head, headOf, lastBlockOf, type RpcCall } from './answers.ts'
import { askSurely } from './askSurely.ts'
import type { Endpoint } from './endpoint.ts'
import { type ChainIdentity, headAt } from './endpointCheck.ts'
import { createEndpointPool, type EndpointPool } from './endpointPool.ts'
import { createExchange } from './exchange.ts'
import { createFollowedHead, type TakenHead } from './followedHead.ts'

type GuardModules = {
  endpoints: readonly Endpoint[]
  identity: ChainIdentity
  clock: Clock
  logger: Logger
  /** Ends every wait. */
  signal: AbortSignal
  /** How long heads must follow one that jumped before it is accepted. */
  holdMs?: number
}

type ChainGuard = {
  /** Checks which endpoints serve the chain, and returns their newest blocks. The others are retried until they do. */
  check(): Promise<ReadonlyMap<Endpoint, Head>>
  /** As in EIP-1193. Waits through outages; rejects with the signal's reason, or with the server's verdict. */
  request(call: RpcCall): Promise<unknown>
  /** Requests the newest block, and accepts it if it is plausible. */
  readHead(): Promise<TakenHead>
  /** The last accepted head. */
  lastHead(): TakenHead | null
}

const HOLD_MS = 60_000
/** Time between checks of each endpoint. */
const CHECK_EVERY_MS = 60_000

/**
 * Isolates the layers above from faults of the endpoints. Every answer is of the
 * deployment's chain and of a plausible head; until there is one, the call waits.
 */
export function createChainGuard(modules: GuardModules): ChainGuard {
  const { clock, logger, signal, holdMs = HOLD_MS } = modules
  const followed = createFollowedHead({ logger, holdMs })
  const pool = createEndpointPool({ ...modules, faultOfHead })
  const { check, isDue } = createChecks(pool, clock)
  const exchange = createExchange({ pool, check, known: followed.taken, clock, signal })

  function faultOfHead(endpoint: Endpoint, head: TakenHead): string | null {
    return followed.faultOf(endpoint, head, () => !pool.healthy().some(other => other !== endpoint))
  }

  function take(endpoint: Endpoint, found: Head): TakenHead {
    const head = { ...found, atMs: clock.nowMs() }
    const fault = faultOfHead(endpoint, head)
    if (fault !== null) {
      pool.markOut(endpoint, fault)
      throw new ChainUnreachableError(`The chain at ${endpoint.origin} cannot be followed: ${fault}.`, {
        hint: 'Check the endpoint; this node resumes once its blocks agree with each other again.',
        retryable: true,
      })
    }
    followed.take(head)
    return head
  }

  return {
    check,
    lastHead: followed.taken,
    async readHead() {
      const checked = new Map(isDue() ? await beforeAbort(check(), signal) : [])
      return exchange(async endpoint => {
        const head = checked.get(endpoint) ?? (await headAt(endpoint, 'latest'))
        checked.delete(endpoint)
        return take(endpoint, head)
      })
    },
    request: call =>
      exchange(async endpoint => {
        const result = await askSurely({ pool, known: followed.taken, clock, signal }, endpoint, call)
        const isHead =
          call.method === 'eth_getBlockByNumber' && (call.params as unknown[] | undefined)?.[0] === 'latest'
        const head = isHead ? headOf(result) : null
        if (head !== null) take(endpoint, head)
        return result
      }, lastBlockOf(call)),
  }
}

/** Checks, once a minute and after each malformed answer, that every endpoint still serves the deployment's chain; one at a time. */
function createChecks(pool: Pick<EndpointPool, 'check'>, clock: Clock) {
  let checkedMs = clock.nowMs()
  let checking: Promise<ReadonlyMap<Endpoint, Head>> | null = null

  return {
    // In either direction: a clock may be set back.
    isDue: () => Math.abs(clock.nowMs() - checkedMs) >= CHECK_EVERY_MS,
    check(): Promise<ReadonlyMap<Endpoint, Head>> {
      checking ??= pool
        .check()
        .then(heads => {
          checkedMs = clock.nowMs()
          return heads
        })
        .finally(() => {
          checking = null
        })
      return checking
    },
  }
}
