import type { Clock } from '#core/clock.ts'
import { ChainUnreachableError, TooMuchAskedError } from '../chainErrors.ts'
import type { RpcCall } from './answers.ts'
import type { Endpoint } from './endpoint.ts'

/** The request function of EIP-1193. */
export type RequestFn = (call: RpcCall) => Promise<unknown>

const TRIES = 3
const PAUSE_MS = 100

/** Asks each endpoint in turn, for callers that cannot wait: a command, or a starting peer. */
export function requestOnce(endpoints: readonly Endpoint[], clock: Clock): RequestFn {
  return async call => {
    for (let tried = 1; ; tried++) {
      const endpoint = endpoints[(tried - 1) % endpoints.length] as Endpoint
      try {
        return await endpoint.ask(call)
      } catch (error) {
        const isOutage = error instanceof ChainUnreachableError && !(error instanceof TooMuchAskedError)
        if (!isOutage || tried >= TRIES) throw error
        await clock.sleep(PAUSE_MS * 2 ** tried)
      }
    }
  }
}
