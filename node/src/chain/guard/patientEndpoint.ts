import type { Clock } from '#core/clock.ts'
import { type Patience, TooSlowError } from '#core/patience.ts'
import { ChainUnreachableError } from '../chainErrors.ts'
import type { Endpoint } from './endpoint.ts'

/** An endpoint that no longer answers once a command's patience has ended, and until then may be asked again after it refused for the number of requests. */
export function patientEndpoint(endpoint: Endpoint, patience: Patience, clock: Clock): Endpoint {
  async function within<T>(what: string, work: (used: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await patience.waitFor(endpoint.origin, what, work)
    } catch (error) {
      if (!(error instanceof TooSlowError)) throw error
      throw new ChainUnreachableError(error.message, { hint: error.hint, retryable: true, cause: error })
    }
  }

  return {
    ...endpoint,
    ask: call => within(call.method, () => endpoint.ask(call)),
    rest: ({ method }, ms) => within(`${method}, refused: too many requests`, used => clock.sleep(ms, used)),
  }
}
