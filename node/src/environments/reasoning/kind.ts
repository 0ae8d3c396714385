import { describeTokenizer, openChatTokenizer } from '../chatTokenizer.ts'
import type { EnvironmentKind } from '../environmentKind.ts'
import { environmentHash } from '../environmentSpec.ts'
import { readBaseHash } from '../paidBase.ts'
import { examples, small, solverMessage } from './presets.ts'
import { reasoning } from './reasoning.ts'
import { type ReasoningSpec, reasoningSpecSchema } from './reasoningSpec.ts'

export const kind: EnvironmentKind<ReasoningSpec> = {
  schema: reasoningSpecSchema,
  needsJudge: false,
  judgeOf: () => null,
  async load(spec, { modelFolder }) {
    const tokenizer = await openChatTokenizer(modelFolder, spec.prompts)
    return reasoning({ spec, tokenizer, solverFolder: modelFolder })
  },
  async describe({ modelFolder }) {
    const spec = reasoningSpecSchema.parse({
      ...small,
      bases: [await readBaseHash(modelFolder)],
      prompts: { format: 'chat', ...(await describeTokenizer(modelFolder)), solver: solverMessage, examples },
    })
    return { spec, hash: environmentHash(spec), judge: null }
  },
}
