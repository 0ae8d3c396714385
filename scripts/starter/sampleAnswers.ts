import type { Generator } from '../../node/model/src/model/generation/generate.ts'
import type { Tokenizer } from '../../node/model/src/model/tokenizers/tokenizer.ts'
import { mapYielding } from '../../node/src/core/threads/mapYielding.ts'
import type { Task } from '../../node/src/environments/codezero/curriculum/task.ts'
import { completionText, solverPrompt } from '../../node/src/environments/codezero/prompts.ts'
import { checkStructure } from '../../node/src/environments/codezero/structure.ts'
import type { SeededRandom } from '../../node/src/environments/seededRandom.ts'
import type { Sandbox } from '../../node/src/sandbox/createSandbox.ts'
import { type Executed, execute } from './execute.ts'

type SampledAnswer = {
  task: Task
  text: string
  ended: boolean
  /** The code, where the structure is whole. */
  code: string | null
}

type SampleOptions = { samples: number; temperature: number; seed: string; maxNewTokens?: number }

/** Answers of a model, `samples` to each task, in order. */
export async function sampleAnswers(
  generator: Generator,
  tokenizer: Tokenizer,
  tasks: readonly Task[],
  { samples, temperature, seed, maxNewTokens = 96 }: SampleOptions,
): Promise<SampledAnswer[]> {
  const completions = await generator.generate({
    prompts: tasks.map(task => solverPrompt(tokenizer, task)),
    samplesPerPrompt: samples,
    maxNewTokens,
    temperature,
    stopToken: tokenizer.special('<eos>'),
    seed,
  })
  return mapYielding(completions, async ({ prompt, tokens, ended }) => {
    const task = tasks[prompt] as Task
    const text = completionText(tokenizer, tokens, ended)
    return { task, text, ended, code: (await checkStructure(text, ended, task)).code }
  })
}

/** Sampled answers whose structure is whole, with what they return: material and measure for the judge. */
export async function executeAnswers(
  sandbox: Sandbox,
  answers: readonly SampledAnswer[],
  random: SeededRandom,
): Promise<Executed[]> {
  const attempts = answers.flatMap(({ code, task }) => (code === null ? [] : [{ code, task, origin: 'sample' }]))
  return execute(sandbox, attempts, random)
}
