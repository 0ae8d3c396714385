import type { Clock } from '#core/clock.ts'
import { AskedTooOftenError, isOutage } from '../chainErrors.ts'
import { type RpcCall, revertOf } from './answers.ts'
import type { Endpoint } from './endpoint.ts'
import { isUndecided } from './sendOutcome.ts'

/** The request function of EIP-1193. */
export type RequestFn = (call: RpcCall) => Promise<unknown>

/** Fewest tries of a call. Each endpoint gets as many as any other. */
const TRIES = 3
const PAUSE_MS = 100
/** First pause after a refusal for the rate of requests; the next ones are twice as long each. */
const REST_MS = 1_000

/** An endpoint that may be asked again. `restMs`: 0 unless its last answer was a refusal for the rate of requests. */
type Turn = { endpoint: Endpoint; failures: number; restMs: number }

/**
 * Asks each endpoint in turn, for callers that cannot wait: a command, or a starting peer. Only a limit on the rate of requests is waited out, if the
 * endpoint says how and no other one answers. A revert counts once two endpoints say so, or the only one that answers; one without data, which no
 * view of ours gives, only if every try does. What one refuses in words that decide nothing is asked of the others; the refusal of a transaction does not
 * count if an answer was lost, since a pool may have it.
 */
export function requestOnce(endpoints: readonly Endpoint[], clock: Clock): RequestFn {
  const triesOfEach = Math.ceil(TRIES / endpoints.length)
  return async call => {
    const turns: Turn[] = endpoints.map(endpoint => ({ endpoint, failures: 0, restMs: 0 }))
    let reverted: { by: Endpoint; error: unknown } | undefined
    let refused: unknown
    let lost: unknown
    for (;;) {
      const turn = turns.shift() as Turn
      const { endpoint, restMs } = turn
      try {
        if (restMs > 0) await endpoint.rest?.(call, restMs)
        return await endpoint.ask(call)
      } catch (error) {
        const isLimited = error instanceof AskedTooOftenError && endpoint.rest !== undefined
        turn.restMs = isLimited ? Math.max(REST_MS, 2 * restMs) : 0
        const isRefusal = isUndecided(call, error)
        turn.failures += isLimited ? 0 : 1
        if (turn.failures < triesOfEach && !isRefusal) turns.push(turn)
        if (isLimited) continue
        if (isRefusal) refused ??= error
        if (call.method === 'eth_sendRawTransaction' && isOutage(error)) lost ??= error
        const revert = revertOf(call, error)
        const isAgreed = endpoints.length === 1 || (reverted !== undefined && reverted.by !== endpoint)
        if (revert === 'named' ? isAgreed : revert === null && !isRefusal && !isOutage(error)) throw error
        if (revert === 'named') reverted = { by: endpoint, error }
        if (turns.length === 0) throw reverted?.error ?? lost ?? refused ?? error
        await clock.sleep(PAUSE_MS * 2 ** turn.failures)
      }
    }
  }
}
