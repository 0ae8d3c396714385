import { mapYielding } from '#core/threads/mapYielding.ts'
import type { ProposedTest } from '../environment.ts'
import { parseTaskText } from './curriculum/parseTaskText.ts'
import { parametersOf } from './curriculum/task.ts'
import { conditionTests } from './datasets/datasetTask.ts'
import { isRightTest } from './isRightTest.ts'
import { parseProposal } from './parseProposal.ts'

/** The tests of a proposal, as its proposer wrote them, each with whether it is right, where the text is understood. Empty if the text is not a proposal. */
export async function proposedTests(text: string): Promise<ProposedTest[]> {
  const proposal = await parseProposal(text)
  if (typeof proposal === 'string') return []
  const { problem, tests } = proposal
  const meaning = parseTaskText(problem.text)
  const isKnown = meaning !== null && parametersOf[meaning.kind].length === problem.parameters.length
  const told = await mapYielding(tests, async source => {
    const [test] = conditionTests([source.slice('assert '.length)])
    return test && { ...test, source, isRight: isKnown ? await isRightTest(source, meaning) : null }
  })
  return told.filter(test => test !== undefined)
}
