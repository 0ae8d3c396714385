import type { Tested } from '#sources/getTested.ts'
import { visibleText } from '../visibleText.ts'

/** Tests that expect another value than their task asks for, so that they do not count. */
export interface WrongTests {
  wrong: string[]
  /** A sentence that says so if all of them are wrong; null if some may be right. */
  all: string | null
}

/** The wrong tests of a task, as far as the gateway can tell, with control characters visible. */
export function wrongTests({ tests, right }: Pick<Tested, 'tests' | 'right'>): WrongTests {
  const wrong = tests.filter((_, place) => right[place] === false).map(visibleText)
  if (wrong.length === 0 || wrong.length < tests.length) return { wrong, all: null }
  if (wrong.length === 1)
    return {
      wrong,
      all: 'The test of this proposer is wrong, so it does not count: the problem asks for another value.',
    }
  const which = wrong.length === 2 ? 'Both' : `All ${wrong.length}`
  return {
    wrong,
    all: `${which} tests of this proposer are wrong, so they do not count: the problem asks for other values.`,
  }
}
