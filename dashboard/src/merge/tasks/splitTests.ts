import { visibleText } from '../visibleText.ts'

/** A coding task: what is asked, and the tests that it brings, which are its lines that assert. Its control characters are visible. */
export function splitTests(text: string): { statement: string; tests: string[] } {
  const lines = visibleText(text).split('\n')
  const isTest = (line: string) => /^assert\b/.test(line)
  return {
    statement: lines
      .filter(line => !isTest(line))
      .join('\n')
      .trim(),
    tests: lines.filter(isTest),
  }
}
