import { type Clock, systemClock } from '#core/clock.ts'
import type { HeldOutCheck } from '#environments/environment.ts'
import type { Sandbox, Verdict } from '#sandbox/createSandbox.ts'

/** Answers that may hang, or fail slowly, before the rest counts as hanging too: each takes seconds of a core, and a restart of the sandbox. */
export const MAX_SLOW = 20

/** A right answer takes less than a millisecond. Code that ends its process, or takes all of its memory, takes seconds and is an error. */
const SLOW_MS = 1_000

/** One verdict per case, in order. A case is code to run, or a verdict that is already known. */
export async function verdictsOf(
  sandbox: Pick<Sandbox, 'runTests'>,
  cases: readonly HeldOutCheck[],
  most = MAX_SLOW,
  clock: Pick<Clock, 'nowMs'> = systemClock,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  let slow = 0
  for (const one of cases) {
    if (typeof one === 'boolean') {
      verdicts.push(one ? 'pass' : 'fail')
      continue
    }
    const startedMs = clock.nowMs()
    const [verdict = 'error'] = slow < most ? await sandbox.runTests([one]) : ['timeout' as const]
    if (verdict === 'timeout' || (verdict !== 'pass' && clock.nowMs() - startedMs >= SLOW_MS)) slow += 1
    verdicts.push(verdict)
  }
  return verdicts
}
