import type { Clock } from '#core/clock.ts'
import type { ProposedTest } from '#environments/environment.ts'
import type { Sandbox, Verdict } from '#sandbox/createSandbox.ts'

/** What became of an answer by each test, in order: null for a test that was not run. */
export type TestedAnswer = { index: number; verdicts: (Verdict | null)[] }

/** Answers that hang before the rest is not run: each takes seconds of a core. */
export const MAX_HANGING = 2

/** From the first verdict on, which waits for the start of Python; then the rest is not run. A slow answer does not hang, and a crash costs two starts. */
export const GROUP_MS = 5_000

/**
 * Runs answers with a task's tests, one test at a time, so that each has its own verdict.
 *
 * @param answers - `code` is null if an answer has none: nothing of it is run.
 */
export async function runTests(
  sandbox: Pick<Sandbox, 'runTests'>,
  clock: Pick<Clock, 'nowMs'>,
  tests: readonly ProposedTest[],
  answers: readonly { index: number; code: string | null }[],
): Promise<TestedAnswer[]> {
  let hanging = 0
  let endsAtMs = Number.POSITIVE_INFINITY
  const tested: TestedAnswer[] = []
  for (const { index, code } of answers) {
    const verdicts: TestedAnswer['verdicts'] = []
    for (const test of tests) {
      const isOver = hanging >= MAX_HANGING || clock.nowMs() >= endsAtMs
      if (code === null || isOver || verdicts.includes('timeout')) {
        verdicts.push(null)
        continue
      }
      const [verdict = null] = await sandbox.runTests([{ code, tests: [test] }])
      verdicts.push(verdict)
      endsAtMs = Math.min(endsAtMs, clock.nowMs() + GROUP_MS)
    }
    if (verdicts.includes('timeout')) hanging += 1
    tested.push({ index, verdicts })
  }
  return tested
}
