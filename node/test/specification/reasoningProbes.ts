import type { ReasoningProblem } from '#environments/reasoning/drawQuestion.ts'
import { examples, small, solverMessage } from '#environments/reasoning/kind.ts'
import { reasoning } from '#environments/reasoning/reasoning.ts'
import { type ReasoningSpec, reasoningSpecSchema } from '#environments/reasoning/reasoningSpec.ts'
import { letters } from './codeZeroProbes.ts'
import { commonProbes, wordOf } from './commonProbes.ts'
import type { Probes } from './fields.ts'

const seed = wordOf('01')

export function reasoningSpec(tokenizerHash: `0x${string}`, vocabSize: number): ReasoningSpec {
  const prompts = { format: 'chat', tokenizerHash, vocabSize, solver: solverMessage, examples: [] } as const
  return reasoningSpecSchema.parse({ ...small, prompts })
}

const open = (spec: ReasoningSpec) => reasoning({ spec, tokenizer: letters, solverFolder: '' })
const seven: ReasoningProblem = { family: 'sum', level: 1, question: 'What is 3 + 4?', kind: 'integer', answer: '7' }
const last = { ...seven, quoted: { stage: 2, texts: ['7'], majority: '7' } } as const

/** Scores of a wrong answer in the right form, of a right one, and of one that names the majority in its last stage. */
async function scores(spec: ReasoningSpec): Promise<number[]> {
  const judge = await open(spec).openJudge(null)
  const answers = [
    { problem: seven, text: '8', ended: true },
    { problem: seven, text: '7', ended: true },
    { problem: last, text: '8\n7', ended: true },
    { problem: last, text: '7\n8', ended: true },
  ]
  return (await judge.score(answers)).map(({ score }) => score)
}

const asked = (spec: ReasoningSpec) => open(spec).roundTasks(seed, 0)
const prompt = (spec: ReasoningSpec) => open(spec).format.solverPrompt(seven)
const three = { stages: 3, version: 4, 'weights.format': 0.2, 'weights.accuracy': 0.6, 'weights.majority': 0.2 }

/** @param loaded - what loading a folder says that the specification is of. */
export function reasoningProbes(loaded: (spec: ReasoningSpec) => unknown): Probes<ReasoningSpec> {
  return {
    ...(commonProbes as Probes<ReasoningSpec>),
    stages: { value: 3, given: { version: 4 }, seen: spec => open(spec).stages?.count },
    'weights.format': { value: 0.3, also: { 'weights.accuracy': 0.7 }, seen: scores },
    'weights.accuracy': { value: 0.7, also: { 'weights.format': 0.3 }, seen: scores },
    'weights.majority': { value: 0.3, given: three, also: { 'weights.format': 0.1 }, seen: scores },
    families: { value: ['dates'], seen: asked },
    'levels.lowest': { value: 2, given: { 'levels.highest': 3 }, seen: asked },
    'levels.highest': { value: 3, seen: asked },
    reply: { value: 'tagged', seen: prompt },
    'prompts.tokenizerHash': { value: wordOf('99'), seen: loaded },
    'prompts.vocabSize': { value: 440, seen: spec => open(spec).format.vocabSize },
    'prompts.solver': { value: 'Solve.', seen: prompt },
    'prompts.examples': { value: [...examples], seen: prompt },
  }
}
