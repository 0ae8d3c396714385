import type { Clock } from '#core/clock.ts'
import { type Head, type RpcCall, revertOf } from './answers.ts'
import type { Endpoint } from './endpoint.ts'
import { headAt } from './endpointCheck.ts'
import { type EndpointPool, FIRST_PAUSE_MS } from './endpointPool.ts'
import { isUndecided, refusalOf } from './sendOutcome.ts'

type Modules = {
  pool: EndpointPool
  /** The newest block that this node knows; null before the first. */
  known(): Head | null
  clock: Clock
  signal: AbortSignal
}

/** Longest wait for another block, of a call that reverts or of an endpoint that lags: blocks of slow chains take 12 s. */
const REVERTS_FOR_MS = 15_000

/**
 * An endpoint's answer to a call. It may say falsely that a view or an estimate reverts: that counts once another endpoint agrees; if that one
 * answers the call although it is as far, the first is out of use. Where there is no other, an error of a contract must be said twice, and a revert
 * without data in two blocks; an estimate is repeated by the outbox. What it refuses in words that decide nothing is asked of the others.
 *
 * @throws as {@link Endpoint.ask}.
 */
export async function askSurely(modules: Modules, endpoint: Endpoint, call: RpcCall): Promise<unknown> {
  const { pool, clock, signal } = modules
  const first = await answerOf(endpoint, call)
  if ('result' in first) return first.result
  if (revertOf(call, first.error) === null) return takenElsewhere(modules, { endpoint, error: first.error }, call)
  const other = pool.healthy().find(one => one !== endpoint)
  const second = other && (await answerOf(other, call))
  if (other && second && 'result' in second) return unlessBehind(modules, { endpoint, other }, call)
  if (second !== undefined && isRevert(call, second)) throw first.error
  if (call.method === 'eth_estimateGas') throw first.error
  const [{ number }, sinceMs] = [await headAt(endpoint, 'latest'), clock.nowMs()]
  for (let tried = 0; ; tried++) {
    await clock.sleep(FIRST_PAUSE_MS * 2 ** Math.min(tried, 3), signal)
    const again = await answerOf(endpoint, call)
    if ('result' in again) return again.result
    if (revertOf(call, again.error) !== 'bare' || clock.nowMs() - sinceMs >= REVERTS_FOR_MS) throw again.error
    if ((await headAt(endpoint, 'latest')).number > number) throw again.error
  }
}

/**
 * Another endpoint's answer to a transaction or an estimate that one refuses in words that decide nothing. A pool takes bytes however late its server
 * is, and an estimate that is too early costs its gas at most. A revert by an old block would end a call whose round has just begun: it decides nothing,
 * and is not waited for, since the outbox repeats the estimate with the next block.
 *
 * @throws the first one's error, if no other decides it.
 */
async function takenElsewhere(
  { pool, known }: Modules,
  { endpoint, error }: { endpoint: Endpoint; error: unknown },
  call: RpcCall,
): Promise<unknown> {
  if (!isUndecided(call, error)) throw error
  for (const other of pool.healthy().filter(one => one !== endpoint)) {
    const isLate = call.method === 'eth_estimateGas' && (await lacks(other, known()))
    const answer = await answerOf(other, call)
    if ('result' in answer) return answer.result
    const isDecided = refusalOf(answer.error) !== null && !isUndecided(call, answer.error)
    if (isDecided && !(isLate && isRevert(call, answer))) throw answer.error
  }
  throw error
}

/**
 * The answer to a call that one endpoint says reverts and another answers. The other may be a block behind, so that its answer counts once it has
 * the first one's block.
 *
 * @throws the first one's revert, if the other says the same then, or does not arrive there.
 */
async function unlessBehind(
  modules: Modules,
  { endpoint, other }: { endpoint: Endpoint; other: Endpoint },
  call: RpcCall,
): Promise<unknown> {
  const second = await answerAtBlockOf(modules, { endpoint, other }, call)
  const first = await answerOf(endpoint, call)
  if ('result' in first) return first.result
  if (second === null || !('result' in second)) throw first.error
  modules.pool.markOut(endpoint, `it says that ${call.method} reverts, and ${other.origin} answers it`)
  return second.result
}

type Answer = { result: unknown } | { error: unknown }

/** Another endpoint's answer once it has the newest block of the one in use; null if it does not get there in time. */
async function answerAtBlockOf(
  { clock, signal }: Modules,
  { endpoint, other }: { endpoint: Endpoint; other: Endpoint },
  call: RpcCall,
): Promise<Answer | null> {
  const [{ number }, sinceMs] = [await headAt(endpoint, 'latest'), clock.nowMs()]
  for (let tried = 0; (await headAt(other, 'latest')).number < number; tried++) {
    if (clock.nowMs() - sinceMs >= REVERTS_FOR_MS) return null
    await clock.sleep(FIRST_PAUSE_MS * 2 ** Math.min(tried, 3), signal)
  }
  return answerOf(other, call)
}

/** Whether an endpoint does not have a block yet, or does not say so. */
function lacks(endpoint: Endpoint, block: Head | null): Promise<boolean> {
  return headAt(endpoint, 'latest').then(
    ({ number }) => number < (block?.number ?? 0),
    () => true,
  )
}

const isRevert = (call: RpcCall, answer: Answer) => 'error' in answer && revertOf(call, answer.error) !== null

function answerOf(endpoint: Endpoint, call: RpcCall): Promise<Answer> {
  return endpoint.ask(call).then(
    result => ({ result }),
    error => ({ error }),
  )
}
