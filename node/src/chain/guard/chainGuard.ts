import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { ChainUnreachableError, TooMuchAskedError } from '../chainErrors.ts'
import { type Head, headOf, type RpcCall } from './answers.ts'
import type { Endpoint } from './endpoint.ts'
import { type ChainIdentity, headAt } from './endpointCheck.ts'
import { createEndpointPool } from './endpointPool.ts'
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
  /** Finds out which endpoints serve the chain. Those that do not are asked again until they do. */
  check(): Promise<void>
  /** As EIP-1193 has it. Waits through outages; rejects with the signal's reason, or with what the server ruled. */
  request(call: RpcCall): Promise<unknown>
  /** Asks for the newest block, and takes it unless it cannot be. */
  readHead(): Promise<TakenHead>
  /** The head that was taken last. */
  lastHead(): TakenHead | null
}

const HOLD_MS = 60_000
/** Time between checks of each endpoint. */
const CHECK_EVERY_MS = 60_000
/** An answer that stays malformed while others are fine is not an outage: after so many, the caller gets the error. */
const MAX_ODD_ANSWERS = 3
const FIRST_PAUSE_MS = 250

/**
 * Stands between a peer and its endpoints, so that their faults do not reach the layers above. Every answer is of the
 * deployment's chain and of a plausible head; until there is one, the call waits.
 */
export function createChainGuard(modules: GuardModules): ChainGuard {
  const { clock, logger, signal, holdMs = HOLD_MS } = modules
  const followed = createFollowedHead({ logger, holdMs })
  const pool = createEndpointPool({ ...modules, faultOfHead })
  let checkedMs = clock.nowMs()
  let checking: Promise<void> | null = null

  function faultOfHead(endpoint: Endpoint, head: TakenHead): string | null {
    return followed.faultOf(endpoint, head, () => !pool.healthy().some(other => other !== endpoint))
  }

  /** Once a minute, and after each malformed answer: every endpoint must still serve the deployment's chain. */
  function check(): Promise<void> {
    checking ??= pool
      .check()
      .then(() => {
        checkedMs = clock.nowMs()
      })
      .finally(() => {
        checking = null
      })
    return checking
  }

  /** Runs an exchange with the endpoint in use; repeats it until one answers as it should. */
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
      if (clock.nowMs() - checkedMs >= CHECK_EVERY_MS) await check()
      return exchange(async endpoint => take(endpoint, await headAt(endpoint, 'latest')))
    },
    request: call =>
      exchange(async endpoint => {
        const result = await endpoint.ask(call)
        const isHead =
          call.method === 'eth_getBlockByNumber' && (call.params as unknown[] | undefined)?.[0] === 'latest'
        const head = isHead ? headOf(result) : null
        if (head !== null) take(endpoint, head)
        return result
      }),
  }
}
