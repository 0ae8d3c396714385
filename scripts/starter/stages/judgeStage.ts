import { initWeights } from '../../../node/model/src/model/decoder/initWeights.ts'
import { createTrainer, type TrainingSequence } from '../../../node/model/src/rl/trainer.ts'
import { mapYielding } from '../../../node/src/core/threads/mapYielding.ts'
import { drawTrainingTask } from '../../../node/src/environments/codezero/curriculum/drawTask.ts'
import { renderSolution } from '../../../node/src/environments/codezero/curriculum/renderSolution.ts'
import type { PromptTokenizer } from '../../../node/src/environments/codezero/prompts.ts'
import { type SeededRandom, seededRandom } from '../../../node/src/environments/seededRandom.ts'
import type { Sandbox } from '../../../node/src/sandbox/createSandbox.ts'
import { drawCandidates, type OriginMix } from '../candidates.ts'
import { type Executed, execute, relabelled } from '../execute.ts'
import { judgeLevels } from '../levelMix.ts'
import { judgeExample } from '../sequences.ts'
import { decoderConfig } from '../settings.ts'
import { trainOnStream } from '../trainOnStream.ts'
import { countParameters } from './solverStage.ts'
import { type Stage, withSandbox } from './stage.ts'

/** Origins of the procedural examples that are not right by construction. */
const brokenMix: OriginMix = [
  ['structural', 0.64],
  ['unspoken', 0.36],
]
const brokenShare = 0.22
/** Share of the right examples in the solver's narrow spelling. */
const narrowShare = 0.2

/** The judge model, from nothing: back-translation from code in all spellings to the problem's text, or `<no>`. */
export const judgeStage: Stage = async ({ settings, seed, threads, work, say, now }) =>
  withSandbox(async sandbox => {
    const { judge } = settings
    const tokenizer = await work.tokenizer()
    const config = decoderConfig(judge, tokenizer.vocabSize)
    const weights = initWeights(config, `${seed} judge`)
    const trainer = await createTrainer(config, weights, { threads, optimizer: { kind: 'muon' } })
    const chunk = (index: number) =>
      proceduralExamples(
        judge.chunk,
        judge.brokenWeight,
        tokenizer,
        sandbox,
        seededRandom(`${seed} judge corpus ${index}`),
      )
    const result = await trainOnStream(trainer, chunk, { ...judge, seed, say, now })
    await trainer.dispose()
    await work.writeModel('judge-plain', { config, weights })
    return { parameters: countParameters(weights), ...result }
  })

/** Right code with its text, and broken code, executed, with the text that it deserves or `<no>`. */
export async function proceduralExamples(
  count: number,
  brokenWeight: number,
  tokenizer: PromptTokenizer,
  sandbox: Sandbox,
  random: SeededRandom,
): Promise<TrainingSequence[]> {
  const brokenCount = Math.round(count * brokenShare)
  const right = await mapYielding(Array.from({ length: count - brokenCount }), () => {
    const task = drawTrainingTask(random.weighted(judgeLevels), random)
    const style = random.chance(narrowShare) ? 'narrow' : 'any'
    const code = renderSolution(task, task.meaning, random, { style })
    return judgeExample(tokenizer, code, task, true, brokenWeight)
  })
  const broken = await execute(sandbox, drawCandidates(brokenCount, random, { mix: brokenMix }), random)
  return [...right, ...(await labelledExamples(broken, brokenWeight, tokenizer, random))].filter(
    example => example !== null,
  )
}

/** Executed code as examples; what turns out to be a held-out function is left out. */
async function labelledExamples(
  executed: readonly Executed[],
  brokenWeight: number,
  tokenizer: PromptTokenizer,
  random: SeededRandom,
): Promise<TrainingSequence[]> {
  const found = executed.map(attempt => relabelled(attempt, random)).filter(attempt => attempt !== null)
  const examples = await mapYielding(found, ({ code, task, isRight }) =>
    judgeExample(tokenizer, code, task, isRight, brokenWeight),
  )
  return examples.filter(example => example !== null)
}
