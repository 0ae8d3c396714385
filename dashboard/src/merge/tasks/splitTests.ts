/** A coding task: what is asked, and the tests that it brings, which are its lines that assert. */
export function splitTests(text: string): { statement: string; tests: string[] } {
  const lines = text.split('\n')
  const isTest = (line: string) => /^assert\b/.test(line)
  return {
    statement: lines
      .filter(line => !isTest(line))
      .join('\n')
      .trim(),
    tests: lines.filter(isTest),
  }
}
