import { MAX_TASK_CHARACTERS } from '#core/payloads/taskProposal.ts'
import type { CodeZeroSpec } from '../environmentSpec.ts'
import { admitProblem, formatProposal, parseProposal, proposalLimits, readUnitTest } from '../parseProposal.ts'
import { parsePython } from '../python/parsePython.ts'
import type { PythonNode } from '../python/pythonNode.ts'
import type { DatasetTask } from './datasetTask.ts'

/**
 * A dataset's task as a proposer's text: its problem, and as many of its tests as a proposal may have, in the form of a proposal's tests.
 *
 * @param rule - the environment's rule for tasks that may be trained on.
 */
export async function datasetProposal(
  { function: asked }: Pick<DatasetTask, 'function'>,
  rule: CodeZeroSpec['tasks'],
): Promise<{ text: string } | { reason: string }> {
  if (asked === null) return { reason: 'asks for no function' }
  const { problem, asserts } = asked
  const tests: string[] = []
  for (const assert of asserts) {
    if (tests.length === proposalLimits.tests) break
    const test = await withoutParentheses(assert.trim())
    const read = test.includes('\n') ? null : await readUnitTest(test)
    if (read?.name === problem.name && read.args.length === problem.parameters.length) tests.push(test)
  }
  if (tests.length === 0) return { reason: 'no test is a call with plain values, compared with one' }
  const text = formatProposal({ problem, tests })
  if (text.length > MAX_TASK_CHARACTERS) return { reason: 'text too long' }
  const proposal = await parseProposal(text)
  if (typeof proposal === 'string') return { reason: proposal }
  const admitted = admitProblem(proposal.problem, rule)
  if (typeof admitted !== 'string' || (admitted === 'not understood' && rule === 'wellFormed')) return { text }
  return { reason: admitted }
}

/**
 * A test without parentheses around single values, as in `f((1)) == (2)`, which many tests of MBPP have and proposals do not. If the parentheses do
 * more than that, the result does not have the form of a test.
 */
async function withoutParentheses(test: string): Promise<string> {
  const tree = await parsePython(test)
  const places = new Set(tree ? parenthesesIn(tree) : [])
  // `assert(f(1) == 2)` needs a space there.
  const instead = (at: number) => (test[at] === '(' && /\w/.test(test[at - 1] ?? '') ? ' ' : '')
  return Array.from({ length: test.length }, (_, at) => (places.has(at) ? instead(at) : test[at]))
    .join('')
    .trim()
}

/** Positions of the parentheses around single expressions. */
function parenthesesIn({ type, from, to, children }: PythonNode): number[] {
  const own = type === 'ParenthesizedExpression' ? [from, to - 1] : []
  return [...own, ...children.flatMap(parenthesesIn)]
}
