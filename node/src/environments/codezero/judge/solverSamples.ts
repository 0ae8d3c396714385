import { mapYielding } from '#core/threads/mapYielding.ts'
import type { Precision } from '#model/quantization/precision.ts'
import { openPolicyClient } from '#rl/policy/policyClient.ts'
import type { RunCode } from '../../environmentKind.ts'
import type { EnvironmentSpec } from '../../environmentSpec.ts'
import type { PromptFormat } from '../../promptFormat.ts'
import { seededRandom } from '../../seededRandom.ts'
import { drawInputs } from '../curriculum/drawInputs.ts'
import { drawTrainingTask } from '../curriculum/drawTask.ts'
import { callOf, returnsWhatIsAsked } from '../curriculum/strictTests.ts'
import { levels, type Problem } from '../curriculum/task.ts'
import { maybeBroken } from '../repairTask.ts'
import { checkStructure } from '../structure.ts'
import type { LabelledPair } from './labelledPairs.ts'

type SampleRequest = {
  /** The answering model, in its own process. */
  readonly folder: string
  readonly precision: Precision
  readonly threads: number
  readonly format: PromptFormat<Problem>
  /** Answers that are sampled. */
  readonly count: number
  /** Sampled as in a round. */
  readonly solving: EnvironmentSpec['solving']
  readonly repairing: number
  readonly runCode: RunCode
}

const SAMPLES_PER_TASK = 4
const SEED = 'solver samples'

/**
 * A solver's own answers to tasks of all levels, labelled by executing them: for measurement, never for a reward. Malformed answers are
 * left out, since no judge reads them.
 */
export async function solverSamples(request: SampleRequest): Promise<LabelledPair[]> {
  const { folder, precision, threads, format, count, solving, repairing, runCode } = request
  const random = seededRandom(SEED)
  const tasks = Array.from({ length: Math.ceil(count / SAMPLES_PER_TASK) }, (_, at) =>
    maybeBroken(drawTrainingTask(levels[at % levels.length] ?? 3, random), repairing, random),
  )
  if (tasks.length === 0) return []
  const prompts = await mapYielding(tasks, task => format.solverPrompt(task))
  const solver = openPolicyClient({ threads })
  try {
    await solver.loadFrozen(folder, precision)
    const completions = await solver.generate({
      prompts,
      ...{ samplesPerPrompt: SAMPLES_PER_TASK, seed: SEED, ...solving },
      stopToken: format.stopToken,
      moreStopTokens: format.moreStopTokens,
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
  } finally {
    await solver.close()
  }
}
