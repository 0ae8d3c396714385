import type { Clock } from '#core/clock.ts'
import { AskedTooOftenError, ChainUnreachableError, TooMuchAskedError } from '../chainErrors.ts'
import { type RpcCall, revertOf } from './answers.ts'
import type { Endpoint } from './endpoint.ts'

/** The request function of EIP-1193. */
export type RequestFn = (call: RpcCall) => Promise<unknown>

const TRIES = 3
const PAUSE_MS = 100
/** First pause after a refusal for the rate of requests; the next ones are twice as long each. */
const REST_MS = 1_000

/**
 * Asks each endpoint in turn, for callers that cannot wait: a command, or a starting peer. Only a limit on the rate of requests is waited out, if the
 * endpoint says how and no other one answers. A revert counts once the next endpoint says so too; one without data, which no view of ours gives, only
 * if every try does.
 */
export function requestOnce(endpoints: readonly Endpoint[], clock: Clock): RequestFn {
  return async call => {
    let restMs = REST_MS
    for (let tried = 1, asked = 1; ; asked++) {
      const endpoint = endpoints[(asked - 1) % endpoints.length] as Endpoint
      try {
        return await endpoint.ask(call)
      } catch (error) {
        if (error instanceof AskedTooOftenError && endpoint.rest !== undefined) {
          if (asked < endpoints.length) continue
          await endpoint.rest(call, restMs)
          restMs *= 2
          continue
        }
        const isOutage = error instanceof ChainUnreachableError && !(error instanceof TooMuchAskedError)
        const revert = revertOf(call, error)
        const isOdd = revert === 'bare' || (revert === 'named' && tried < endpoints.length)
        if (!(isOutage || isOdd) || tried >= TRIES) throw error
        await clock.sleep(PAUSE_MS * 2 ** tried)
        tried += 1
      }
    }
  }
}
