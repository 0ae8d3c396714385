import type { Generator } from '../../node/model/src/model/generation/generate.ts'
import type { Tokenizer } from '../../node/model/src/model/tokenizers/tokenizer.ts'
import { mapYielding } from '../../node/src/core/threads/mapYielding.ts'
import { parseTaskText } from '../../node/src/environments/codezero/curriculum/parseTaskText.ts'
import type { Level, Task } from '../../node/src/environments/codezero/curriculum/task.ts'
import {
  admitProblem,
  type ProposalFault,
  parseProposal,
  type Refusal,
} from '../../node/src/environments/codezero/parseProposal.ts'
import { presets } from '../../node/src/environments/codezero/presets.ts'
import { completionText, proposalPrompt } from '../../node/src/environments/codezero/prompts.ts'
import { countRightTests } from '../../node/src/environments/codezero/proposedTests.ts'

/** One sampled proposal: malformed, refused, or a task; and how many of its tests expect the right value. */
export type SampledProposal = {
  text: string
  fault: ProposalFault | 'did not end' | null
  refusal: Refusal | 'another level' | null
  task: Task | null
  tests: number
  rightTests: number
}

/** Proposals of a model for one level. */
export async function sampleProposals(
  generator: Generator,
  tokenizer: Tokenizer,
  level: Level,
  count: number,
  seed: string,
): Promise<SampledProposal[]> {
  const completions = await generator.generate({
    prompts: [proposalPrompt(tokenizer, level)],
    samplesPerPrompt: count,
    maxNewTokens: presets.starter.proposing.maxNewTokens,
    temperature: presets.starter.proposing.temperature,
    stopToken: tokenizer.special('<eos>'),
    seed,
  })
  return mapYielding(completions, ({ tokens, ended }) =>
    readProposal(completionText(tokenizer, tokens, ended), ended, level),
  )
}

async function readProposal(text: string, ended: boolean, level: Level): Promise<SampledProposal> {
  const none = { text, fault: null, refusal: null, task: null, tests: 0, rightTests: 0 }
  const proposal = await parseProposal(text)
  if (!ended) return { ...none, fault: 'did not end' }
  if (typeof proposal === 'string') return { ...none, fault: proposal }
  const meaning = parseTaskText(proposal.problem.text)
  const rightTests = meaning ? await countRightTests(proposal, meaning) : 0
  const counts = { tests: proposal.tests.length, rightTests }
  const task = admitProblem(proposal.problem, 'understood')
  if (typeof task === 'string') return { ...none, ...counts, refusal: task }
  return task.level === level ? { ...none, ...counts, task } : { ...none, ...counts, refusal: 'another level' }
}
