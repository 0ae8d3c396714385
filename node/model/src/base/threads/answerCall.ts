import { sentError } from './sentError.ts'
import type { Answer, Call } from './workerCalls.ts'

/**
 * Does what a call asks for, in the worker. An error is an answer like any other.
 *
 * @param handlers - the worker's operations, or the promise of them: where it fails, that is the answer to every call.
 * @param code - of an error that is a defect of the worker.
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
