import { mapYielding } from '#core/threads/mapYielding.ts'
import { evaluate } from './curriculum/evaluate.ts'
import { parsePythonLiteral, pythonRepr } from './curriculum/pythonValue.ts'
import type { Meaning } from './curriculum/task.ts'
import { type Proposal, readUnitTest } from './parseProposal.ts'

/** How many of a proposal's tests expect the value that its text asks for: for measurement only. */
export async function countRightTests(proposal: Proposal, meaning: Meaning): Promise<number> {
  const right = await mapYielding(proposal.tests, async test => {
    const read = await readUnitTest(test)
    const args = read?.args.map(parsePythonLiteral) ?? [null]
    const expected = read ? parsePythonLiteral(read.expected) : null
    if (expected === null || !args.every(arg => arg !== null) || !hasTypes(meaning, args)) return false
    return pythonRepr(evaluate(meaning, args)) === pythonRepr(expected)
  })
  return right.filter(Boolean).length
}

function hasTypes(meaning: Meaning, args: readonly unknown[]): boolean {
  if (meaning.kind === 'string') return typeof args[0] === 'string'
  if (meaning.kind !== 'loop') return args.every(arg => typeof arg === 'bigint')
  return Array.isArray(args[0]) && args[0].every(item => typeof item === 'bigint')
}
