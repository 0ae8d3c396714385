import { type EnvironmentSpec, environmentHash } from '#environments/codezero/environmentSpec.ts'
import { chatFormat } from '#environments/codezero/promptFormat.ts'
import { trueFalseJudge } from '#environments/codezero/trueFalseJudge.ts'
import { checkTokenizerFits } from '#model/checkTokenizerFits.ts'
import { readDecoderConfig } from '#model/decoderConfig.ts'
import { ModelFileError } from '#model/modelErrors.ts'
import { openTokenizer, type TokenizerClient } from '#model/tokenizerClient.ts'
import { EnvironmentMismatchError } from './environmentOnChain.ts'
import type { Environment } from './loadEnvironment.ts'

export type ChatFolders = {
  /** The model that solves or proposes; for other roles any with the same tokenizer. */
  readonly modelFolder: string
  /** The frozen judge. */
  readonly judgeFolder: string
}

/**
 * An environment of chat models: its specification, and the models that an operator named for it, checked against it. The
 * judge's weights are checked when they are loaded.
 *
 * @throws {EnvironmentMismatchError} if the specification is not one of chat models, or is of other tokenizers.
 * @throws {ModelFileError} if a file of the models is missing or damaged.
 */
export async function loadChatEnvironment(spec: EnvironmentSpec, folders: ChatFolders): Promise<Environment> {
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
  return {
    spec,
    hash: environmentHash(spec),
    format: chatFormat(tokenizer, prompts),
    solverFolder: folders.modelFolder,
    judgeFolder: folders.judgeFolder,
    openJudge: scorer => trueFalseJudge(scorer, judgeTokenizer, judge),
  }
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
