import { checkTokenizerFits } from '#model/checkTokenizerFits.ts'
import { readDecoderConfig } from '#model/decoderConfig.ts'
import { ModelFileError } from '#model/modelErrors.ts'
import { openTokenizer, type TokenizerClient } from '#model/tokenizerClient.ts'
import type { Environment } from '../environment.ts'
import type { ChatFolders } from '../environmentKind.ts'
import { EnvironmentMismatchError } from '../environmentMismatch.ts'
import { codeZero } from './codeZero.ts'
import type { CodeZeroSpec } from './environmentSpec.ts'
import { chatFormat } from './promptFormat.ts'
import { trueFalseJudge } from './trueFalseJudge.ts'

/**
 * An environment of chat models: its specification, and the models that an operator named for it, checked against it. The
 * judge's weights are checked when they are loaded.
 *
 * @throws {EnvironmentMismatchError} if the specification is not one of chat models, or is of other tokenizers.
 * @throws {ModelFileError} if a file of the models is missing or damaged.
 */
export async function loadChatEnvironment(spec: CodeZeroSpec, folders: ChatFolders): Promise<Environment> {
  const { prompts, judge } = spec
  if (prompts.format !== 'chat' || judge.kind !== 'trueFalse')
    throw new EnvironmentMismatchError(`The environment '${spec.preset}' is not one of chat models.`, {
      hint: 'Leave out --model and --environment, or name a specification that waggle environment made.',
    })
  const tokenizer = await readTokenizer(folders.modelFolder, prompts.tokenizerHash)
  const isShared = judge.tokenizerHash === tokenizer.hash
  if (isShared) checkTokenizerFits(tokenizer, await readDecoderConfig(folders.judgeFolder), folders.judgeFolder)
  const judgeTokenizer = isShared ? tokenizer : await readTokenizer(folders.judgeFolder, judge.tokenizerHash)
  const { vocabSize } = await readDecoderConfig(folders.modelFolder)
  if (vocabSize < prompts.vocabSize)
    throw new ModelFileError(
      folders.modelFolder,
      'vocab_size',
      `${vocabSize} is below the environment's ${prompts.vocabSize}`,
      {
        hint: 'Use a model of the family that the environment is for.',
      },
    )
  const { weightsHash, precision } = judge
  return codeZero({
    spec,
    format: chatFormat(tokenizer, prompts),
    solverFolder: folders.modelFolder,
    judgeModel: { folder: folders.judgeFolder, precision, weightsHash },
    openCodeJudge: scorer => trueFalseJudge(scorer, judgeTokenizer, judge),
  })
}

async function readTokenizer(folder: string, hash: string): Promise<TokenizerClient> {
  const config = await readDecoderConfig(folder)
  const tokenizer = await openTokenizer(folder)
  if (tokenizer.hash === hash && tokenizer.vocabSize <= config.vocabSize) return tokenizer
  await tokenizer.close()
  checkTokenizerFits(tokenizer, config, folder)
  throw new EnvironmentMismatchError(
    `The tokenizer in ${folder} is ${tokenizer.hash}, the environment's ${hash}: prompts would differ from everybody else's.`,
    { hint: 'Use a model of the family, and the revision, that the environment is for.' },
  )
}
