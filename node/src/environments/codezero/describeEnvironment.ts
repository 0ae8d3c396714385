import { NodeError } from '#base/errors.ts'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { checkTokenizerFits } from '#model/tokenizers/checkTokenizerFits.ts'
import { openTokenizer, type TokenizerClient } from '#model/tokenizers/tokenizerClient.ts'
import { openPolicyClient } from '#rl/policy/policyClient.ts'
import type { MeasuredJudge } from '../environment.ts'
import type { DescribedEnvironment, EnvironmentRequest } from '../environmentKind.ts'
import { environmentHash } from '../environmentSpec.ts'
import { readBaseHash } from '../paidBase.ts'
import type { CodeZeroSpec } from './environmentSpec.ts'
import { readBackTranslation } from './judge/backTranslation.ts'
import { examineCalibrated, examineJudge, judgedOdds, MIN_OWN_ANSWERS, weaknessOf } from './judge/calibrateTrueFalse.ts'
import { type LabelledPair, labelledPairs } from './judge/labelledPairs.ts'
import { solverSamples } from './judge/solverSamples.ts'
import { trueFalseEvidence } from './judge/trueFalseJudge.ts'
import { starterJudge } from './loadStarter.ts'
import { chatMessages, environmentFrom } from './presets.ts'
import { chatFormat } from './promptFormat.ts'

const { judgeSystem: system, judgeQuestion: question } = chatMessages

/** `--precision` is the judge's; a solver samples in its own, which is float32 unless its operator chooses another. */
const SOLVER_PRECISION = 'float32'

/**
 * Creates the specification of an environment of chat models: tokenizer, prompts, frozen judge, and the calibration of the judge. The chain
 * binds rounds to its hash.
 *
 * The judge is tested on near-misses and on the solver's own answers. Half of them calibrate a chat model, and the other half measures it. The starter's
 * judge is calibrated, so all of them measure it.
 *
 * @throws {WeakJudgeError} if it cannot tell right from wrong, by all pairs or by the solver's answers alone.
 * @throws {FewAnswersError} if too few of those are functions.
 */
export async function describeEnvironment(request: EnvironmentRequest): Promise<DescribedEnvironment> {
  const { modelFolder, judgeFolder, threads, runCode } = request
  const tokenizer = await readTokenizer(modelFolder)
  const { vocabSize } = await readDecoderConfig(modelFolder)
  const { solver, proposer } = chatMessages
  const prompts = { format: 'chat', tokenizerHash: tokenizer.hash, vocabSize, solver, proposer } as const
  const preset = judgeFolder === null ? 'small' : 'qwen'
  const { solving, repairing } = environmentFrom(preset)
  const samples = await solverSamples({
    ...{ folder: modelFolder, precision: SOLVER_PRECISION, threads, runCode },
    ...{ format: chatFormat(tokenizer, prompts), count: request.samples, solving, repairing },
  })
  const near = labelledPairs(request.pairs, 'environment')
  const { examined, rules } =
    judgeFolder === null
      ? await examineStarterJudge(request, near, samples)
      : await examineChatJudge(request, judgeFolder, near, samples)
  const { figures, own } = examined
  const weakness = weaknessOf(examined)
  if (weakness !== null) throw new WeakJudgeError(judgeFolder ?? starterJudge, weakness)
  if (own.answers < MIN_OWN_ANSWERS) throw new FewAnswersError(modelFolder, own.answers, request.samples)
  const measured = { ...figures, pairs: near.length + samples.length, samples: samples.length }
  const bases = [await readBaseHash(modelFolder)]
  const spec = environmentFrom(preset, { prompts, bases, ...rules(measured) })
  return { spec, hash: environmentHash(spec), judge: measured }
}

type Examined = {
  examined: ReturnType<typeof examineJudge>
  /** The part of the specification that depends on the judge. */
  rules: (measured: MeasuredJudge) => Pick<CodeZeroSpec, 'tasks' | 'judge'>
}

type Pairs = readonly LabelledPair[]

async function examineChatJudge(
  request: EnvironmentRequest,
  judgeFolder: string,
  near: Pairs,
  samples: Pairs,
): Promise<Examined> {
  const { precision, judgeModel: model } = request
  const { weightsHash, tokenizerHash, odds } = await askJudge(request, judgeFolder, [...near, ...samples])
  const examined = examineJudge(judgedOdds(near, samples, odds))
  const { calibration } = examined
  const rule = {
    kind: 'trueFalse',
    weightsHash,
    tokenizerHash,
    precision,
    model,
    system,
    question,
    calibration,
  } as const
  return { examined, rules: measured => ({ tasks: 'wellFormed', judge: { ...rule, measured } }) }
}

/** Tasks are those of the curriculum: the judge reads no others. */
async function examineStarterJudge({ threads }: EnvironmentRequest, near: Pairs, samples: Pairs): Promise<Examined> {
  const scorer = openPolicyClient({ threads })
  try {
    const { weightsHash } = await scorer.loadJudge(starterJudge, 'float32')
    const judge = (await readBackTranslation(starterJudge))(scorer)
    const examined = examineCalibrated(near, samples, await judge.predictCorrectness([...near, ...samples]))
    return { examined, rules: () => ({ tasks: 'understood', judge: { kind: 'backTranslation', weightsHash } }) }
  } finally {
    await scorer.close()
  }
}

async function askJudge(
  { precision, threads }: EnvironmentRequest,
  judgeFolder: string,
  pairs: readonly LabelledPair[],
) {
  const tokenizer = await readTokenizer(judgeFolder)
  const { maxPositions } = await readDecoderConfig(judgeFolder)
  const scorer = openPolicyClient({ threads })
  try {
    const { weightsHash } = await scorer.loadJudge(judgeFolder, precision)
    const evidence = await trueFalseEvidence(scorer, tokenizer, { system, question }, maxPositions)
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

/** A solver of whose answers too few are functions: nothing is known about what the judge will see. */
class FewAnswersError extends NodeError {
  readonly code = 'FEW_ANSWERS'

  constructor(folder: string, answers: number, sampled: number) {
    super(
      `Only ${answers} of ${sampled} answers of the model in ${folder} are functions: ${MIN_OWN_ANSWERS} are needed to examine the judge.`,
      { hint: 'Raise --samples, or name a --model that answers in the form that is asked for.' },
    )
  }
}
