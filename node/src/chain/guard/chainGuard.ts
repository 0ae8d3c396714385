import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { ChainUnreachableError, TooMuchAskedError } from '../chainErrors.ts'
import { type Head, headOf, type RpcCall, revertOf } from './answers.ts'
import type { Endpoint } from './endpoint.ts'
import { type ChainIdentity, type CheckModules, createEndpointCheck, headAt } from './endpointCheck.ts'
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
/** An answer that stays malformed while others are valid is not an outage: after so many, the caller gets the error. */
const MAX_ODD_ANSWERS = 3
const FIRST_PAUSE_MS = 250
/** Longest wait for another block in which a call must revert again: blocks of slow chains take 12 s. */
const REVERTS_FOR_MS = 15_000

/**
 * Isolates the layers above from faults of the endpoints. Every answer is of the
 * deployment's chain and of a plausible head; until there is one, the call waits.
 */
export function createChainGuard(modules: GuardModules): ChainGuard {
  const { clock, logger, signal, holdMs = HOLD_MS } = modules
  const followed = createFollowedHead({ logger, holdMs })
  const pool = createEndpointPool({ ...modules, faultOfHead })
  let checkedMs = clock.nowMs()
  let checking: Promise<ReadonlyMap<Endpoint, Head>> | null = null

  function faultOfHead(endpoint: Endpoint, head: TakenHead): string | null {
    return followed.faultOf(endpoint, head, () => !pool.healthy().some(other => other !== endpoint))
  }

  /** Once a minute, and after each malformed answer: every endpoint must still serve the deployment's chain. */
  function check(): Promise<ReadonlyMap<Endpoint, Head>> {
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
  }

  /** Runs an exchange with the current endpoint; retries until one answers correctly. */
  async function exchange<T>(work: (endpoint: Endpoint) => Promise<T>): Promise<T> {
    for (let odd = 0; ; ) {
      signal.throwIfAborted()
      const [endpoint] = pool.healthy()
      if (endpoint === undefined) {
        await pool.untilBack()
        continue
      }
      try {
        return await work(endpoint)
      } catch (error) {
        if (!(error instanceof ChainUnreachableError) || error instanceof TooMuchAskedError) throw error
        await check()
        if (!pool.healthy().includes(endpoint)) continue
        odd += 1
        if (odd >= MAX_ODD_ANSWERS) throw error
        await clock.sleep(FIRST_PAUSE_MS * 2 ** odd, signal)
      }
    }
  }

  /**
   * Asks again about a call that an endpoint said reverts: another endpoint, or the same one. It may say so falsely. Without data, it must say so in
   * two blocks; an estimate is repeated by the outbox.
   *
   * @returns the result, if there is one. @throws the revert otherwise.
   */
  async function confirmRevert(endpoint: Endpoint, call: RpcCall, revert: unknown): Promise<unknown> {
    const other = pool.healthy().find(one => one !== endpoint)
    if (other !== undefined) {
      const second = await answerOf(other, call)
      if ('result' in second) {
        pool.markOut(endpoint, `it says that ${call.method} reverts, and ${other.origin} answers it`)
        return second.result
      }
      if (revertOf(call, second.error) !== null) throw revert
    }
    if (call.method === 'eth_estimateGas') throw revert
    const [{ number }, sinceMs] = [await headAt(endpoint, 'latest'), clock.nowMs()]
    for (let tried = 0; ; tried++) {
      await clock.sleep(FIRST_PAUSE_MS * 2 ** Math.min(tried, 3), signal)
      const again = await answerOf(endpoint, call)
      if ('result' in again) return again.result
      const kind = revertOf(call, again.error)
      if (kind === null) throw again.error
      if (kind === 'named' || clock.nowMs() - sinceMs >= REVERTS_FOR_MS) throw again.error
      if ((await headAt(endpoint, 'latest')).number > number) throw again.error
    }
  }

  /** An endpoint's answer to a call; a revert is checked. */
  function ask(endpoint: Endpoint, call: RpcCall): Promise<unknown> {
    return endpoint.ask(call).catch(error => {
      if (revertOf(call, error) === null) throw error
      return confirmRevert(endpoint, call, error)
    })
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
      const checked = new Map(clock.nowMs() - checkedMs >= CHECK_EVERY_MS ? await check() : [])
      return exchange(async endpoint => {
        const head = checked.get(endpoint) ?? (await headAt(endpoint, 'latest'))
        checked.delete(endpoint)
        return take(endpoint, head)
      })
    },
    request: call =>
      exchange(async endpoint => {
        const result = await ask(endpoint, call)
        const isHead =
          call.method === 'eth_getBlockByNumber' && (call.params as unknown[] | undefined)?.[0] === 'latest'
        const head = isHead ? headOf(result) : null
        if (head !== null) take(endpoint, head)
        return result
      }),
  }
}

function answerOf(endpoint: Endpoint, call: RpcCall): Promise<{ result: unknown } | { error: unknown }> {
  return endpoint.ask(call).then(
    result => ({ result }),
    error => ({ error }),
  )
}

type PoolModules = Pick<CheckModules, 'identity' | 'faultOfHead'> & {
  endpoints: readonly Endpoint[]
  clock: Clock
  logger: Logger
  /** Ends every wait. */
  signal: AbortSignal
}

type EndpointPool = {
  /** Endpoints that work, in the given order: the first is in use. */
  healthy(): readonly Endpoint[]
  /** Takes an endpoint out of use, and checks it again until it works. */
  markOut(endpoint: Endpoint, reason: string): void
  /** Takes endpoints out of use that do not serve the chain. @returns the newest blocks of the others. */
  check(): Promise<ReadonlyMap<Endpoint, Head>>
  /** Resolves once an endpoint works again; rejects with the signal's reason. */
  untilBack(): Promise<void>
}

const MAX_PAUSE_MS = 30_000

function createEndpointPool(modules: PoolModules): EndpointPool {
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
