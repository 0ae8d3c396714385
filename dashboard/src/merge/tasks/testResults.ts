import type { Tested } from '#sources/getTested.ts'

/** Of one answer: how many tests pass, and what became of the others. */
export interface TestResults {
  passed: number
  /** Tests that were run. */
  ran: number
  missed: { test: string; outcome: string }[]
}

const outcomes = {
  fail: 'gives another value',
  error: 'raises an error',
  timeout: 'runs out of time',
} as const

/** Null where nothing of the answer was run. */
export function testResults({ tests, answers }: Tested, index: number): TestResults | null {
  const verdicts = answers?.find(answer => answer.index === index)?.verdicts ?? []
  const ran = verdicts.filter(verdict => verdict !== null).length
  if (ran === 0) return null
  return {
    passed: verdicts.filter(verdict => verdict === 'pass').length,
    ran,
    missed: verdicts.flatMap((verdict, place) =>
      verdict === 'pass'
        ? []
        : [{ test: tests[place] ?? '', outcome: verdict === null ? 'not run' : outcomes[verdict] }],
    ),
  }
}
