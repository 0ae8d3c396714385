import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { ChainUnreachableError } from '../chainErrors.ts'
import type { Endpoint } from './endpoint.ts'
import { headAt } from './endpointCheck.ts'
import { FIRST_PAUSE_MS } from './endpointPool.ts'
import { requestOnce } from './requestOnce.ts'

type Chain = {
  /** Those that serve a chain with the deployment's id. */
  endpoints: readonly Endpoint[]
  /** The other ones that are configured. */
  others?: readonly Endpoint[]
  /** A block whose hash names the chain: two local chains have one id. */
  firstBlock: number
  /** Its hash at the last start; null at the first. */
  knownHash: string | null
}

type Wait = {
  clock: Clock
  logger?: Logger | undefined
  signal?: AbortSignal | undefined
  /** For how long every endpoint must name another chain than the known one. */
  patienceMs: number
  /** For how long endpoints may be away, or disagree, once another chain was named. Without, the start waits for them. */
  apartMs?: number
}

const ASK_EVERY_MS = 5_000
/** Hashes in a row, each unlike the one before, after which the answers say nothing. */
const MAX_CHANGES = 8

/**
 * The hash that names the chain, once it is certain: a peer that finds another chain than before forgets its transactions, so that one answer of one
 * endpoint does not decide it, nor one while another is away. At the first start two answers in a row must agree.
 *
 * @throws {ChainUnreachableError} if no endpoint answers, if they name another chain each time, or if they were apart for too long.
 */
export async function confirmChain(chain: Chain, wait: Wait): Promise<string> {
  const { endpoints, others = [], firstBlock, knownHash } = chain
  const { clock, logger, signal } = wait
  const forMs = knownHash === null ? 0 : wait.patienceMs
  let [candidate, sinceMs, changes] = ['', 0, 0]
  let firstMs: number | null = null
  for (;;) {
    signal?.throwIfAborted()
    const asked = knownHash === null ? endpoints : [...endpoints, ...others]
    const hashes = await Promise.all(asked.map(endpoint => hashAt(endpoint, firstBlock)))
    if (knownHash !== null && hashes.includes(knownHash)) return knownHash
    const named = hashes.slice(0, endpoints.length)
    const first = named.find(hash => hash !== null)
    const hash = first ?? (await headAt({ ask: requestOnce(endpoints, clock) }, firstBlock)).hash
    const doubt = knownHash === null ? null : doubtOf(asked, hashes, new Set(named))
    firstMs ??= clock.nowMs()
    if (doubt !== null) sinceMs = clock.nowMs()
    if (doubt !== null && sinceMs - firstMs >= (wait.apartMs ?? Number.POSITIVE_INFINITY)) throw apart(doubt)
    if (hash === candidate && clock.nowMs() - sinceMs >= forMs) return hash
    if (candidate === '' && forMs > 0)
      logger?.warn('waiting for the chain', {
        reason: `its block ${firstBlock} is ${hash}, and was ${knownHash}${doubt === null ? '' : `; ${doubt}`}`,
      })
    if (hash !== candidate) [candidate, sinceMs, changes] = [hash, clock.nowMs(), changes + 1]
    if (changes > MAX_CHANGES) throw changing(firstBlock)
    if (forMs > 0) await clock.sleep(Math.min(ASK_EVERY_MS, forMs), signal)
    else if (changes > 1) await clock.sleep(FIRST_PAUSE_MS, signal)
  }
}

/** Null if it does not answer. */
const hashAt = (endpoint: Endpoint, block: number) =>
  headAt(endpoint, block).then(
    ({ hash }) => hash,
    () => null,
  )

/** Why it is not certain that endpoints name another chain; null if it is. One that is away may know the chain of before. */
function doubtOf(asked: readonly Endpoint[], hashes: readonly (string | null)[], named: ReadonlySet<string | null>) {
  const silent = asked.filter((_, at) => hashes[at] === null).map(({ origin }) => origin)
  if (silent.length > 0) return `no answer from ${silent.join(' and ')}`
  return named.size > 1 ? 'the endpoints name different chains' : null
}

function apart(doubt: string): ChainUnreachableError {
  return new ChainUnreachableError(`The chain is another than at the last start, but that is not certain: ${doubt}.`, {
    hint: 'Try again. If an endpoint is gone for good, take it out of --rpc: a chain is taken once every endpoint names it.',
    retryable: true,
  })
}

function changing(firstBlock: number): ChainUnreachableError {
  return new ChainUnreachableError(`The chain names another block ${firstBlock} each time that it is asked.`, {
    hint: 'Check the endpoint: several servers behind one address may serve different chains.',
    retryable: true,
  })
}
