import { sentError } from './sentError.ts'
import type { Answer, Call } from './workerCalls.ts'

/**
 * Runs a call in the worker and sends its result or its error.
 *
 * @param handlers - the worker's operations, or a promise of them; if it rejects, every call is answered with that error.
 * @param code - for errors that are defects of the worker.
 */
export async function answerCall(
  { id, operation, args }: Call,
  handlers: object | Promise<object>,
  code: string,
): Promise<Answer> {
  try {
    const handler = ((await handlers) as Record<string, (...args: readonly unknown[]) => unknown>)[operation]
    if (!handler) throw new TypeError(`the worker has no operation ${operation}`)
    return { id, result: await handler(...args) }
  } catch (error) {
    return { id, error: sentError(error, code) }
  }
}
