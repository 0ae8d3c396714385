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
}

const ASK_EVERY_MS = 5_000
/** Hashes in a row, each unlike the one before, after which the answers say nothing. */
const MAX_CHANGES = 8

/**
 * The hash that names the chain, once it is certain: a peer that finds another chain than before forgets its transactions, so that one answer of one
 * endpoint does not decide it, nor one while another is away. At the first start two answers in a row must agree.
 *
 * @throws {ChainUnreachableError} if no endpoint answers, or if they name another chain each time.
 */
export async function confirmChain(chain: Chain, wait: Wait): Promise<string> {
  const { endpoints, others = [], firstBlock, knownHash } = chain
  const { clock, logger, signal } = wait
  const forMs = knownHash === null ? 0 : wait.patienceMs
  let [candidate, sinceMs, changes] = ['', 0, 0]
  for (;;) {
    signal?.throwIfAborted()
    const asked = knownHash === null ? endpoints : [...endpoints, ...others]
    const hashes = await Promise.all(asked.map(endpoint => hashAt(endpoint, firstBlock)))
    if (knownHash !== null && hashes.includes(knownHash)) return knownHash
    const named = hashes.slice(0, endpoints.length)
    const first = named.find(hash => hash !== null)
    const hash = first ?? (await headAt({ ask: requestOnce(endpoints, clock) }, firstBlock)).hash
    // One that is away may know the chain of before.
    const isAgreed = knownHash === null || (named.every(one => one === hash) && !hashes.includes(null))
    if (!isAgreed) sinceMs = clock.nowMs()
    if (hash === candidate && clock.nowMs() - sinceMs >= forMs) return hash
    if (candidate === '' && forMs > 0)
      logger?.warn('waiting for the chain', {
        reason: `its block ${firstBlock} is ${hash}, and was ${knownHash}${isAgreed ? '' : '; endpoints do not agree, or do not answer'}`,
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

function changing(firstBlock: number): ChainUnreachableError {
  return new ChainUnreachableError(`The chain names another block ${firstBlock} each time that it is asked.`, {
    hint: 'Check the endpoint: several servers behind one address may serve different chains.',
    retryable: true,
  })
}
