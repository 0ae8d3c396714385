import type { ProposedTest } from '#environments/environment.ts'
import type { Sandbox, Verdict } from '#sandbox/createSandbox.ts'

/** What became of an answer by each test, in order: null for a test that was not run. */
export type TestedAnswer = { index: number; verdicts: (Verdict | null)[] }

/** Answers that hang before the rest is not run: each takes seconds of a core. */
export const MAX_HANGING = 2

/**
 * Runs answers with a task's tests, one test at a time, so that each has a verdict of its own.
 *
 * @param answers - `code` is null where an answer has none: nothing of it is run.
 */
export async function runTests(
  sandbox: Pick<Sandbox, 'runTests'>,
  tests: readonly ProposedTest[],
  answers: readonly { index: number; code: string | null }[],
): Promise<TestedAnswer[]> {
  let hanging = 0
  const tested: TestedAnswer[] = []
  for (const { index, code } of answers) {
    const verdicts: TestedAnswer['verdicts'] = []
    for (const test of tests) {
      if (code === null || hanging >= MAX_HANGING || verdicts.includes('timeout')) {
        verdicts.push(null)
        continue
      }
      const [verdict = null] = await sandbox.runTests([{ code, tests: [test] }])
      verdicts.push(verdict)
    }
    if (verdicts.includes('timeout')) hanging += 1
    tested.push({ index, verdicts })
  }
  return tested
}
