import type { Clock } from '#core/clock.ts'
import { ChainUnreachableError, TooMuchAskedError } from '../chainErrors.ts'
import { type RpcCall, revertOf } from './answers.ts'
import type { Endpoint } from './endpoint.ts'

/** The request function of EIP-1193. */
export type RequestFn = (call: RpcCall) => Promise<unknown>

const TRIES = 3
const PAUSE_MS = 100

/**
 * Asks each endpoint in turn, for callers that cannot wait: a command, or a starting peer. A revert counts once the next endpoint says so too; one
 * without data, which no view of ours gives, only if every try does.
 */
export function requestOnce(endpoints: readonly Endpoint[], clock: Clock): RequestFn {
  return async call => {
    for (let tried = 1; ; tried++) {
      const endpoint = endpoints[(tried - 1) % endpoints.length] as Endpoint
      try {
        return await endpoint.ask(call)
      } catch (error) {
        const isOutage = error instanceof ChainUnreachableError && !(error instanceof TooMuchAskedError)
        const revert = revertOf(call, error)
        const isOdd = revert === 'bare' || (revert === 'named' && tried < endpoints.length)
        if (!(isOutage || isOdd) || tried >= TRIES) throw error
        await clock.sleep(PAUSE_MS * 2 ** tried)
      }
    }
  }
}
