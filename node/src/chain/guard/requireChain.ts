import type { Deployment } from '@waggle/deployments/record'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { ChainUnreachableError, ContractMissingError, WrongChainError, WrongContractError } from '../chainErrors.ts'
import type { Endpoint } from './endpoint.ts'

type Wanted = Pick<Deployment, 'chainId' | 'network'>
type Wait = { clock: Clock; logger: Logger; signal: AbortSignal }

/** Longest time that a restarting server, or one of several behind an address, may serve another chain. */
const WRONG_FOR_MS = 60_000
/** Time in which an endpoint must find other contracts again and again: it may say falsely that calls revert. */
const REFUSED_FOR_MS = 30_000
const ASK_EVERY_MS = 5_000

/** @throws {WrongChainError} if an endpoint serves another chain. One that does not answer may serve the right one. */
export async function requireChain(endpoints: readonly Endpoint[], wanted: Wanted): Promise<void> {
  const ids = await Promise.all(endpoints.map(chainIdOf))
  for (const [at, { origin }] of endpoints.entries()) {
    const chainId = ids[at] ?? wanted.chainId
    if (chainId !== wanted.chainId) throw wrongChain(origin, chainId, wanted)
  }
}

/**
 * At the start of a peer: resolves with the endpoints that serve the chain, as soon as there is one.
 *
 * @throws {WrongChainError} if every endpoint has served another chain for a minute, for example because the wrong one was configured.
 */
export async function awaitChain(
  endpoints: readonly Endpoint[],
  wanted: Wanted,
  { clock, logger, signal }: Wait,
): Promise<Endpoint[]> {
  let wrongSinceMs: number | null = null
  const warned = new Set<string>()
  for (;;) {
    signal.throwIfAborted()
    const ids = await Promise.all(endpoints.map(chainIdOf))
    const serving = endpoints.filter((_, at) => ids[at] === wanted.chainId)
    if (serving.length > 0) return serving
    for (const [at, { origin: endpoint }] of endpoints.entries()) {
      const found = ids[at] ?? null
      const reason =
        found === null ? 'it does not answer' : `it serves the chain with id ${found}, not ${wanted.chainId}`
      if (warned.has(`${endpoint} ${reason}`)) continue
      warned.add(`${endpoint} ${reason}`)
      logger.warn('waiting for the chain', { endpoint, reason })
    }
    wrongSinceMs = ids.includes(null) ? null : (wrongSinceMs ?? clock.nowMs())
    if (wrongSinceMs !== null && clock.nowMs() - wrongSinceMs >= WRONG_FOR_MS) await requireChain(endpoints, wanted)
    await clock.sleep(ASK_EVERY_MS, signal)
  }
}

/**
 * At the start of a peer: repeats a check until it finds the contracts. A server that lags behind the deployment has no code there
 * either, and one that falsely says that calls revert seems to have others.
 *
 * @throws {ContractMissingError} of the check, once it has found none for a minute.
 * @throws {WrongContractError} of the check, once it has found others for half a minute; any other error of it, at once.
 */
export async function awaitContracts<T>(check: () => Promise<T>, { clock, logger, signal }: Wait): Promise<T> {
  const sinceMs = clock.nowMs()
  for (let tries = 0; ; tries += 1) {
    signal.throwIfAborted()
    try {
      return await check()
    } catch (error) {
      if (clock.nowMs() - sinceMs >= patienceMs(error)) throw error
      if (tries === 0) logger.warn('waiting for the chain', { reason: (error as Error).message })
    }
    await clock.sleep(ASK_EVERY_MS, signal)
  }
}

function patienceMs(error: unknown): number {
  if (error instanceof ContractMissingError) return WRONG_FOR_MS
  return error instanceof WrongContractError ? REFUSED_FOR_MS : 0
}

/**
 * For a peer that used this chain before: reconnects until an endpoint answers, since its URL was right then.
 *
 * @throws errors of `connect`, except that the chain is unreachable.
 */
export async function awaitAnswer<T>(connect: () => Promise<T>, { clock, logger, signal }: Wait): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    signal.throwIfAborted()
    try {
      return await connect()
    } catch (error) {
      if (!(error instanceof ChainUnreachableError)) throw error
      if (tries === 0) logger.warn('waiting for the chain', { reason: error.message })
    }
    await clock.sleep(ASK_EVERY_MS, signal)
  }
}

/** Null if it does not answer. */
async function chainIdOf({ ask }: Endpoint): Promise<number | null> {
  try {
    return Number(await ask({ method: 'eth_chainId', params: [] }))
  } catch (error) {
    if (error instanceof ChainUnreachableError) return null
    throw error
  }
}

function wrongChain(origin: string, chainId: number, { chainId: wanted, network }: Wanted): WrongChainError {
  return new WrongChainError(`The chain at ${origin} has id ${chainId}; the deployment '${network}' is on ${wanted}.`, {
    hint: `Pass the RPC URL of '${network}', or the network that this chain is.`,
  })
}
