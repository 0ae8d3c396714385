import { checkTokenizerFits } from '#model/checkTokenizerFits.ts'
import { readDecoderConfig } from '#model/decoderConfig.ts'
import { openTokenizer } from '#model/tokenizerClient.ts'
import { openChatTokenizer } from '../chatTokenizer.ts'
import type { EnvironmentKind } from '../environmentKind.ts'
import { environmentHash } from '../environmentSpec.ts'
import { small, solverMessage } from './presets.ts'
import { reasoning } from './reasoning.ts'
import { type ReasoningSpec, reasoningSpecSchema } from './reasoningSpec.ts'

export const reasoningKind: EnvironmentKind<ReasoningSpec> = {
  schema: reasoningSpecSchema,
  needsJudge: false,
  judgeOf: () => null,
  async load(spec, { modelFolder }) {
    const tokenizer = await openChatTokenizer(modelFolder, spec.prompts)
    return reasoning({ spec, tokenizer, solverFolder: modelFolder })
  },
  async describe({ modelFolder }) {
    const config = await readDecoderConfig(modelFolder)
    const tokenizer = await openTokenizer(modelFolder)
    checkTokenizerFits(tokenizer, config, modelFolder)
    const { hash: tokenizerHash } = tokenizer
    await tokenizer.close()
    const spec = reasoningSpecSchema.parse({
      ...small,
      prompts: { format: 'chat', tokenizerHash, vocabSize: config.vocabSize, solver: solverMessage },
    })
    return { spec, hash: environmentHash(spec), balancedAccuracy: null }
  },
}
