import { setTimeout as sleep } from 'node:timers/promises'
import { logTail, type Managed } from './processes/supervisor.ts'

/**
 * Asks until the answer is yes, or the process that should give it has ended.
 *
 * @throws {Error} with the end of the process's log, or when `timeoutMs` has passed.
 */
export async function waitFor(
  subject: Managed,
  ask: () => Promise<boolean>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  let ended: number | string | undefined
  void subject.exited.then(status => {
    ended = status
  })
  const deadline = performance.now() + timeoutMs
  while (!(await ask().catch(() => false))) {
    signal.throwIfAborted()
    if (ended !== undefined)
      throw new Error(
        `${subject.name} ended (${ended}); the end of ${subject.logPath}:\n${await logTail(subject.logPath)}`,
      )
    if (performance.now() > deadline)
      throw new Error(`${subject.name} did not answer within ${timeoutMs / 1000} s; see ${subject.logPath}`)
    await sleep(150, undefined, { signal })
  }
}

/** Whether an address answers with a success status. */
export async function answers(url: string, init: RequestInit = {}): Promise<boolean> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(2_000) })
  await response.body?.cancel()
  return response.ok
}
