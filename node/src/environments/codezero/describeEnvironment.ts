import { checkTokenizerFits } from '#model/checkTokenizerFits.ts'
import { readDecoderConfig } from '#model/decoderConfig.ts'
import { openTokenizer, type TokenizerClient } from '#model/tokenizerClient.ts'
import { openPolicyClient } from '#rl/policyClient.ts'
import type { DescribedEnvironment, EnvironmentRequest } from '../environmentKind.ts'
import { environmentHash } from '../environmentSpec.ts'
import { balancedAccuracy, fitTrueFalse, labelledPairs } from './calibrateTrueFalse.ts'
import { chatMessages, environmentFrom } from './presets.ts'
import { trueFalseEvidence } from './trueFalseJudge.ts'

/**
 * Makes the specification of an environment of chat models: which tokenizer, which prompts, which frozen judge, and how what the
 * judge says becomes a probability. Its hash is what the chain binds rounds to.
 */
export async function describeEnvironment(request: EnvironmentRequest): Promise<DescribedEnvironment> {
  const { modelFolder, judgeFolder, judgeModel, precision, threads } = request
  if (judgeFolder === null) throw new RangeError('an environment of CodeZero needs a judge')
  const [tokenizer, judgeTokenizer] = await Promise.all([modelFolder, judgeFolder].map(readTokenizer))
  if (tokenizer === undefined || judgeTokenizer === undefined) throw new RangeError('two tokenizers were read')
  const { vocabSize } = await readDecoderConfig(modelFolder)
  const { judgeSystem: system, judgeQuestion: question } = chatMessages
  const scorer = openPolicyClient({ threads })
  try {
    const { weightsHash } = await scorer.loadJudge(judgeFolder, precision)
    const pairs = labelledPairs(request.pairs, 'environment')
    const evidence = await trueFalseEvidence(scorer, judgeTokenizer, { system, question })
    const odds = await evidence(pairs)
    const read = pairs.flatMap(({ isRight }, i) => (odds[i] == null ? [] : [{ isRight, odds: odds[i] as number }]))
    // Pairs come right, wrong, right, wrong: taken by twos, both halves hold as many of each.
    const half = (rest: number) => read.filter((_, i) => Math.floor(i / 2) % 2 === rest)
    const columns = (rows: typeof read) => [rows.map(row => row.odds), rows.map(row => row.isRight)] as const
    const calibration = fitTrueFalse(...columns(half(0)))
    const spec = environmentFrom('qwen', {
      prompts: {
        format: 'chat',
        tokenizerHash: tokenizer.hash,
        vocabSize,
        solver: chatMessages.solver,
        proposer: chatMessages.proposer,
      },
      tasks: 'wellFormed',
      judge: {
        kind: 'trueFalse',
        weightsHash,
        tokenizerHash: judgeTokenizer.hash,
        precision,
        model: judgeModel,
        system,
        question,
        calibration,
      },
    })
    return { spec, hash: environmentHash(spec), balancedAccuracy: balancedAccuracy(...columns(half(1)), calibration) }
  } finally {
    await scorer.close()
  }
}

async function readTokenizer(folder: string): Promise<TokenizerClient> {
  const tokenizer = await openTokenizer(folder)
  checkTokenizerFits(tokenizer, await readDecoderConfig(folder), folder)
  return tokenizer
}
