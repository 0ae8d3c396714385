import type { Tested } from '#sources/getTested.ts'
import { visibleText } from '../visibleText.ts'

/** Results of one answer: how many tests pass, and the outcome of the others. */
export interface TestResults {
  passed: number
  /** Tests that were run and may be right. */
  ran: number
  missed: { test: string; outcome: string }[]
  /** Tests that expect another value than the task asks for: they tell nothing of an answer. */
  wrong: string[]
}

const outcomes = {
  fail: 'gives another value',
  error: 'raises an error',
  timeout: 'runs out of time',
} as const

/** Text for a test that may be right or wrong. */
const doubt = 'gives another value, like every try here: this test may be wrong'

/** Null if nothing of the answer was run. */
export function testResults({ tests, right, answers }: Tested, index: number): TestResults | null {
  const verdicts = answers?.find(answer => answer.index === index)?.verdicts ?? []
  if (verdicts.every(verdict => verdict === null)) return null
  const results: TestResults = { passed: 0, ran: 0, missed: [], wrong: [] }
  for (const [place, test] of tests.map(visibleText).entries()) {
    const verdict = verdicts[place] ?? null
    if (right[place] === false) {
      results.wrong.push(test)
      continue
    }
    if (verdict !== null) results.ran += 1
    if (verdict === 'pass') results.passed += 1
    else if (verdict === null) results.missed.push({ test, outcome: 'not run' })
    else {
      const isDoubted = verdict === 'fail' && right[place] !== true && allGiveAnother(answers, place)
      results.missed.push({ test, outcome: isDoubted ? doubt : outcomes[verdict] })
    }
  }
  return results
}

/** Whether each of several answers that give a value gives another one than the test expects. */
function allGiveAnother(answers: Tested['answers'], place: number): boolean {
  const verdicts = (answers ?? []).map(answer => answer.verdicts[place])
  return !verdicts.includes('pass') && verdicts.filter(verdict => verdict === 'fail').length > 1
}
