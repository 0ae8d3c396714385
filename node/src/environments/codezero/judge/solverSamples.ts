import { mapYielding } from '#core/threads/mapYielding.ts'
import type { Generator } from '#model/generation/generate.ts'
import type { RunCode } from '../../environmentKind.ts'
import type { PromptFormat } from '../../promptFormat.ts'
import { seededRandom } from '../../seededRandom.ts'
import { drawInputs } from '../curriculum/drawInputs.ts'
import { drawTrainingTask } from '../curriculum/drawTask.ts'
import { callOf, returnsWhatIsAsked } from '../curriculum/strictTests.ts'
import { levels, type Problem } from '../curriculum/task.ts'
import { maybeBroken } from '../repairTask.ts'
import { checkStructure } from '../structure.ts'
import type { LabelledPair } from './labelledPairs.ts'

const SAMPLES_PER_TASK = 4

/**
 * A solver's own answers to tasks of all levels in turn, told right or wrong by running them: for measurement, never for a reward. Answers
 * whose form is broken are left out, since no judge reads them.
 *
 * @param count - of answers that are sampled.
 */
export async function solverSamples(
  solver: Pick<Generator, 'generate'>,
  format: PromptFormat<Problem>,
  runCode: RunCode,
  sampling: { count: number; maxNewTokens: number; temperature: number; topP: number; repairing: number },
): Promise<LabelledPair[]> {
  const { count, maxNewTokens, temperature, topP, repairing } = sampling
  const random = seededRandom('solver samples')
  const tasks = Array.from({ length: Math.ceil(count / SAMPLES_PER_TASK) }, (_, at) =>
    maybeBroken(drawTrainingTask(levels[at % levels.length] ?? 3, random), repairing, random),
  )
  if (tasks.length === 0) return []
  const completions = await solver.generate({
    prompts: await mapYielding(tasks, task => format.solverPrompt(task)),
    samplesPerPrompt: SAMPLES_PER_TASK,
    maxNewTokens,
    temperature,
    topP,
    stopToken: format.stopToken,
    moreStopTokens: format.moreStopTokens,
    seed: 'solver samples',
  })
  const whole = await mapYielding(completions, async ({ prompt, tokens, ended }) => {
    const task = tasks[prompt]
    if (!task) return []
    const { code } = await checkStructure(await format.completionText(tokens, ended), ended, task)
    return code === null ? [] : [{ task, code, inputs: drawInputs(task.meaning, random) }]
  })
  const answers = whole.flat()
  const outputs = await runCode(
    answers.map(({ task, code, inputs }) => ({ code, expressions: inputs.map(args => callOf(task, args)) })),
  )
  return answers.map(({ task, code, inputs }, at) => ({
    problem: task,
    code,
    isRight: returnsWhatIsAsked(task.meaning, inputs, outputs[at] ?? []),
  }))
}
