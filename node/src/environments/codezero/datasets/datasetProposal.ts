import { MAX_TASK_CHARACTERS } from '#core/payloads/taskProposal.ts'
import type { CodeZeroSpec } from '../environmentSpec.ts'
import { admitProblem, formatProposal, parseProposal, proposalLimits, readUnitTest } from '../parseProposal.ts'
import type { DatasetTask } from './datasetTask.ts'

/**
 * A dataset's task as a proposer's text: its problem, and as many of its tests as a proposal has, of the form that a proposal has.
 *
 * @param rule - which tasks the environment trains on.
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
    const test = assert.trim()
    const read = test.includes('\n') ? null : await readUnitTest(test)
    if (read?.name === problem.name && read.args.length === problem.parameters.length) tests.push(test)
  }
  if (tests.length === 0) return { reason: 'no test is a call with plain values, compared with one' }
  const text = formatProposal({ problem, tests })
  if (text.length > MAX_TASK_CHARACTERS) return { reason: 'text too long' }
  const proposal = await parseProposal(text)
  if (typeof proposal === 'string') return { reason: proposal }
  const admitted = admitProblem(proposal.problem)
  if (typeof admitted !== 'string' || (admitted === 'not understood' && rule === 'wellFormed')) return { text }
  return { reason: admitted }
}
