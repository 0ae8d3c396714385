import { checkTokenizerFits } from '#model/checkTokenizerFits.ts'
import { readDecoderConfig } from '#model/decoderConfig.ts'
import { openChatTokenizer, openTokenizerOf } from '../chatTokenizer.ts'
import type { Environment } from '../environment.ts'
import type { ChatFolders } from '../environmentKind.ts'
import { EnvironmentMismatchError } from '../environmentMismatch.ts'
import { codeZero } from './codeZero.ts'
import type { CodeZeroSpec } from './environmentSpec.ts'
import { chatFormat } from './promptFormat.ts'
import { servedJudge } from './servedJudge.ts'
import { trueFalseJudge } from './trueFalseJudge.ts'

/**
 * An environment of chat models: its specification, and the models that an operator named for it, checked against it. The
 * judge's weights are checked when they are loaded.
 *
 * @throws {EnvironmentMismatchError} if the specification is not one of chat models, or is of other tokenizers.
 * @throws {ModelFileError} if a file of the models is missing or damaged.
 */
export async function loadChatEnvironment(
  spec: CodeZeroSpec,
  { modelFolder, judgeFolder, judgeServer }: ChatFolders,
): Promise<Environment> {
  const { prompts, judge } = spec
  if (prompts.format !== 'chat' || judge.kind !== 'trueFalse' || (judgeFolder === null && !judgeServer))
    throw new EnvironmentMismatchError(`The environment '${spec.preset}' is not one of chat models.`, {
      hint: 'Leave out --model and --environment, or name a specification that npx waggle environment made.',
    })
  const tokenizer = await openChatTokenizer(modelFolder, prompts)
  const shared = { spec, format: chatFormat(tokenizer, prompts), solverFolder: modelFolder }
  if (judgeFolder === null)
    return codeZero({
      ...shared,
      judgeModel: null,
      openCodeJudge: () => Promise.reject(new RangeError('a server judges')),
      openServedJudge: judgeServer && (() => servedJudge(judgeServer, judge)),
    })
  const isShared = judge.tokenizerHash === tokenizer.hash
  if (isShared) checkTokenizerFits(tokenizer, await readDecoderConfig(judgeFolder), judgeFolder)
  const judgeTokenizer = isShared ? tokenizer : await openTokenizerOf(judgeFolder, judge.tokenizerHash)
  const { weightsHash, precision } = judge
  return codeZero({
    ...shared,
    judgeModel: { folder: judgeFolder, precision, weightsHash },
    openCodeJudge: scorer => trueFalseJudge(scorer, judgeTokenizer, judge),
  })
}
