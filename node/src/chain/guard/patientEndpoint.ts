import type { Clock } from '#core/clock.ts'
import { type Patience, TooSlowError } from '#core/patience.ts'
import { AskedTooOftenError, ChainUnreachableError } from '../chainErrors.ts'
import type { Endpoint } from './endpoint.ts'

/** An endpoint that no longer answers once a command's patience has ended, and until then may be asked again after it refused for the number of requests. */
export function patientEndpoint(endpoint: Endpoint, patience: Patience, clock: Clock): Endpoint {
  /** Its last answer, if that was such a refusal: its words say what used up the patience. */
  let refusal: AskedTooOftenError | null = null

  async function within<T>(what: string, work: (used: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await patience.waitFor(endpoint.origin, what, work)
    } catch (error) {
      if (!(error instanceof TooSlowError)) throw error
      const { message } = refusal ?? error
      throw new ChainUnreachableError(message, { hint: error.hint, retryable: true, cause: error })
    }
  }

  async function ask(call: Parameters<Endpoint['ask']>[0]): Promise<unknown> {
    try {
      const answer = await endpoint.ask(call)
      refusal = null
      return answer
    } catch (error) {
      refusal = error instanceof AskedTooOftenError ? error : null
      throw error
    }
  }

  return {
    ...endpoint,
    ask: call => within(call.method, () => ask(call)),
    rest: ({ method }, ms) => within(`${method}, refused: too many requests`, used => clock.sleep(ms, used)),
  }
}
