import { mapYielding } from '#core/threads/mapYielding.ts'
import type { ProposedTest } from '../environment.ts'
import { evaluate } from './curriculum/evaluate.ts'
import { parseTaskText } from './curriculum/parseTaskText.ts'
import { parsePythonLiteral, pythonRepr } from './curriculum/pythonValue.ts'
import { type Meaning, parametersOf } from './curriculum/task.ts'
import { conditionTests } from './datasets/datasetTask.ts'
import { type Proposal, parseProposal, readUnitTest } from './parseProposal.ts'

/** The tests of a proposal as written, each with whether it is right if the text is understood. Empty if the text is not a proposal. */
export async function proposedTests(text: string): Promise<ProposedTest[]> {
  const proposal = await parseProposal(text)
  if (typeof proposal === 'string') return []
  const { problem, tests } = proposal
  const meaning = parseTaskText(problem.text)
  const isKnown = meaning !== null && parametersOf[meaning.kind].length === problem.parameters.length
  const told = await mapYielding(tests, async source => {
    const read = await readUnitTest(source)
    // A comment after the condition belongs to the source alone: it would take the bracket that follows.
    const [test] = read ? conditionTests([read.condition]) : []
    return test && { ...test, source, isRight: isKnown ? await isRightTest(source, meaning) : null }
  })
  return told.filter(test => test !== undefined)
}

/** Whether a test expects the right value: for measurement and display, never for a score. Null if one of its literals is not read. */
async function isRightTest(test: string, meaning: Meaning): Promise<boolean | null> {
  const read = await readUnitTest(test)
  if (read === null) return false
  const args = read.args.map(parsePythonLiteral)
  const expected = parsePythonLiteral(read.expected)
  if (expected === null || !args.every(arg => arg !== null)) return null
  if (!hasTypes(meaning, args)) return false
  return pythonRepr(evaluate(meaning, args)) === pythonRepr(expected)
}

/** Number of a proposal's right tests. */
export async function countRightTests({ tests }: Proposal, meaning: Meaning): Promise<number> {
  return (await mapYielding(tests, test => isRightTest(test, meaning))).filter(Boolean).length
}

function hasTypes(meaning: Meaning, args: readonly unknown[]): boolean {
  if (meaning.kind === 'string') return typeof args[0] === 'string'
  if (meaning.kind !== 'loop') return args.every(arg => typeof arg === 'bigint')
  return Array.isArray(args[0]) && args[0].every(item => typeof item === 'bigint')
}
