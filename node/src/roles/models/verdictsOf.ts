import type { HeldOutCheck } from '#environments/environment.ts'
import type { Sandbox, Verdict } from '#sandbox/createSandbox.ts'

/** Answers that may hang before the rest counts as hanging too: each takes seconds of a core, and a restart of the sandbox. */
export const MAX_TIMEOUTS = 20

/** One verdict a case, in order: a case is code to run, or what is known of it already. */
export async function verdictsOf(
  sandbox: Pick<Sandbox, 'runTests'>,
  cases: readonly HeldOutCheck[],
  maxTimeouts = MAX_TIMEOUTS,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  let timeouts = 0
  for (const one of cases) {
    if (typeof one === 'boolean') {
      verdicts.push(one ? 'pass' : 'fail')
      continue
    }
    const [verdict = 'error'] = timeouts < maxTimeouts ? await sandbox.runTests([one]) : ['timeout' as const]
    if (verdict === 'timeout') timeouts += 1
    verdicts.push(verdict)
  }
  return verdicts
}
