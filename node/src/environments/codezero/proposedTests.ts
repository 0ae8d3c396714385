import type { ProposedTest } from '../environment.ts'
import { conditionTests } from './datasets/datasetTask.ts'
import { parseProposal } from './parseProposal.ts'

/** The tests of a proposal, as its proposer wrote them: nobody has checked that they are right. Empty if the text is not a proposal. */
export async function proposedTests(text: string): Promise<ProposedTest[]> {
  const proposal = await parseProposal(text)
  if (typeof proposal === 'string') return []
  return proposal.tests.flatMap(source => {
    const [test] = conditionTests([source.slice('assert '.length)])
    return test ? [{ ...test, source }] : []
  })
}
