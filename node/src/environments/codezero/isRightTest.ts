import { mapYielding } from '#core/threads/mapYielding.ts'
import { evaluate } from './curriculum/evaluate.ts'
import { parsePythonLiteral, pythonRepr } from './curriculum/pythonValue.ts'
import type { Meaning } from './curriculum/task.ts'
import { type Proposal, readUnitTest } from './parseProposal.ts'

/** Whether a test expects the value that the text of its task asks for: for measurement and to show, never to score. */
export async function isRightTest(test: string, meaning: Meaning): Promise<boolean> {
  const read = await readUnitTest(test)
  const args = read?.args.map(parsePythonLiteral) ?? [null]
  const expected = read ? parsePythonLiteral(read.expected) : null
  if (expected === null || !args.every(arg => arg !== null) || !hasTypes(meaning, args)) return false
  return pythonRepr(evaluate(meaning, args)) === pythonRepr(expected)
}

/** How many of a proposal's tests are right. */
export async function countRightTests({ tests }: Proposal, meaning: Meaning): Promise<number> {
  return (await mapYielding(tests, test => isRightTest(test, meaning))).filter(Boolean).length
}

function hasTypes(meaning: Meaning, args: readonly unknown[]): boolean {
  if (meaning.kind === 'string') return typeof args[0] === 'string'
  if (meaning.kind !== 'loop') return args.every(arg => typeof arg === 'bigint')
  return Array.isArray(args[0]) && args[0].every(item => typeof item === 'bigint')
}
