import { NodeError } from '#base/errors.ts'
import { mapYielding } from '#core/threads/mapYielding.ts'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import type { Generator } from '#model/generation/generate.ts'
import { loadGenerator } from '#model/generation/loadGenerator.ts'
import { checkTokenizerFits } from '#model/tokenizers/checkTokenizerFits.ts'
import { openTokenizer, type TokenizerClient } from '#model/tokenizers/tokenizerClient.ts'
import { openPolicyClient } from '#rl/policy/policyClient.ts'
import type { DescribedEnvironment, EnvironmentRequest, RunCode } from '../environmentKind.ts'
import { environmentHash } from '../environmentSpec.ts'
import { readBaseHash } from '../paidBase.ts'
import type { PromptFormat } from '../promptFormat.ts'
import { seededRandom } from '../seededRandom.ts'
import { drawInputs } from './curriculum/drawInputs.ts'
import { drawTrainingTask } from './curriculum/drawTask.ts'
import { callOf, returnsWhatIsAsked } from './curriculum/strictTests.ts'
import { levels, type Problem } from './curriculum/task.ts'
import { examineJudge, weaknessOf } from './judge/calibrateTrueFalse.ts'
import { type LabelledPair, labelledPairs } from './judge/labelledPairs.ts'
import { trueFalseEvidence } from './judge/trueFalseJudge.ts'
import { chatMessages, environmentFrom, presets } from './presets.ts'
import { type ChatPrompts, chatFormat } from './promptFormat.ts'
import { maybeBroken } from './repairTask.ts'
import { checkStructure } from './structure.ts'

const { judgeSystem: system, judgeQuestion: question } = chatMessages

/**
 * Makes the specification of an environment of chat models: which tokenizer, which prompts, which frozen judge, and how what the
 * judge says becomes a probability. Its hash is what the chain binds rounds to.
 *
 * The judge is examined on near-misses and on answers of the solver's own, half of them to calibrate it and half to measure it.
 *
 * @throws {WeakJudgeError} if it cannot tell right from wrong.
 */
export async function describeEnvironment(request: EnvironmentRequest): Promise<DescribedEnvironment> {
  const { modelFolder, judgeFolder, judgeModel, precision } = request
  if (judgeFolder === null) throw new RangeError('an environment of CodeZero needs a judge')
  const tokenizer = await readTokenizer(modelFolder)
  const { vocabSize } = await readDecoderConfig(modelFolder)
  const { solver, proposer } = chatMessages
  const prompts = { format: 'chat', tokenizerHash: tokenizer.hash, vocabSize, solver, proposer } as const
  const samples = await samplesOf(request, tokenizer, prompts)
  const pairs = [...labelledPairs(request.pairs, 'environment'), ...samples]
  const { weightsHash, tokenizerHash, odds } = await askJudge(request, judgeFolder, pairs)
  const judged = pairs.flatMap(({ isRight }, i) => (odds[i] == null ? [] : [{ isRight, odds: odds[i] as number }]))
  const { calibration, figures } = examineJudge(judged)
  const weakness = weaknessOf(calibration, figures)
  if (weakness !== null) throw new WeakJudgeError(judgeFolder, weakness)
  const measured = { ...figures, pairs: pairs.length, samples: samples.length }
  const spec = environmentFrom('qwen', {
    prompts,
    bases: [await readBaseHash(modelFolder)],
    tasks: 'wellFormed',
    judge: {
      ...{ kind: 'trueFalse', weightsHash, tokenizerHash, precision, model: judgeModel, system, question, calibration },
      measured,
    },
  })
  return { spec, hash: environmentHash(spec), judge: measured }
}

/** Answers of the solver that the environment is for, as they are sampled in a round. */
async function samplesOf(
  { modelFolder, precision, threads, samples, runCode }: EnvironmentRequest,
  tokenizer: TokenizerClient,
  prompts: ChatPrompts,
): Promise<LabelledPair[]> {
  const solver = await loadGenerator(modelFolder, { precision, threads })
  try {
    const sampling = { count: samples, repairing: presets.qwen.repairing, ...presets.qwen.solving }
    return await solverSamples(solver, chatFormat(tokenizer, prompts), runCode, sampling)
  } finally {
    await solver.dispose()
  }
}

async function askJudge(
  { precision, threads }: EnvironmentRequest,
  judgeFolder: string,
  pairs: readonly LabelledPair[],
) {
  const tokenizer = await readTokenizer(judgeFolder)
  const scorer = openPolicyClient({ threads })
  try {
    const { weightsHash } = await scorer.loadJudge(judgeFolder, precision)
    const evidence = await trueFalseEvidence(scorer, tokenizer, { system, question })
    return { weightsHash, tokenizerHash: tokenizer.hash, odds: await evidence(pairs) }
  } finally {
    await scorer.close()
  }
}

async function readTokenizer(folder: string): Promise<TokenizerClient> {
  const tokenizer = await openTokenizer(folder)
  checkTokenizerFits(tokenizer, await readDecoderConfig(folder), folder)
  return tokenizer
}

/** A judge that cannot tell right code from wrong. */
class WeakJudgeError extends NodeError {
  readonly code = 'JUDGE_TOO_WEAK'

  constructor(folder: string, weakness: string) {
    super(`The judge in ${folder} cannot tell right code from wrong: ${weakness}. Solvers would learn noise.`, {
      hint: 'Name another with --judge: an instruct model trained on code, of 1.5 billion parameters or more (Qwen2.5-Coder-1.5B-Instruct). If it is one, try --precision float32 and more --pairs.',
    })
  }
}

const SAMPLES_PER_TASK = 4

/**
 * A solver's own answers to tasks of all levels in turn, told right or wrong by running them: for measurement, never for a reward. Answers
 * whose form is broken are left out, since no judge reads them.
 *
 * @param count - of answers that are sampled.
 */
async function solverSamples(
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
