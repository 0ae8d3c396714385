import { NodeError } from '#base/errors.ts'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { checkTokenizerFits } from '#model/tokenizers/checkTokenizerFits.ts'
import { openTokenizer, type TokenizerClient } from '#model/tokenizers/tokenizerClient.ts'
import { openPolicyClient } from '#rl/policy/policyClient.ts'
import type { DescribedEnvironment, EnvironmentRequest } from '../environmentKind.ts'
import { environmentHash } from '../environmentSpec.ts'
import { readBaseHash } from '../paidBase.ts'
import { examineJudge, weaknessOf } from './judge/calibrateTrueFalse.ts'
import { type LabelledPair, labelledPairs } from './judge/labelledPairs.ts'
import { solverSamples } from './judge/solverSamples.ts'
import { trueFalseEvidence } from './judge/trueFalseJudge.ts'
import { chatMessages, environmentFrom, presets } from './presets.ts'
import { chatFormat } from './promptFormat.ts'

const { judgeSystem: system, judgeQuestion: question } = chatMessages

/**
 * Creates the specification of an environment of chat models: tokenizer, prompts, frozen judge, and the calibration of the judge. The chain
 * binds rounds to its hash.
 *
 * The judge is tested on near-misses and on the solver's own answers: half of them calibrate it, half measure it.
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
  const { threads, runCode } = request
  const { solving, repairing } = presets.qwen
  const samples = await solverSamples({
    ...{ folder: modelFolder, precision, threads, format: chatFormat(tokenizer, prompts), count: request.samples },
    ...{ solving, repairing, runCode },
  })
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
