/** Lines shown of what failed: enough for a page that a test showed, and few enough to be seen above the table. */
const LINES = 160
/** Lines shown of a suite that ended without saying what failed. */
const LAST_LINES = 40

/** Where Vitest and Hardhat begin to say what failed, and why. */
const BEGINS = /^.*(Failed (Tests|Suites) \d|\b\d+ failing\b)/m

/** The part of a suite's output that says what failed: of a check or a crash, which have no such part, the end. */
export function failurePart(output: string): string {
  const begins = BEGINS.exec(output)
  const lines = output.trimEnd().split('\n')
  if (begins === null) return lines.slice(-LAST_LINES).join('\n')
  return output.slice(begins.index).trimEnd().split('\n').slice(0, LINES).join('\n')
}
