import { type EnvironmentSpec, environmentHash } from '#environments/codezero/environmentSpec.ts'
import { chatFormat } from '#environments/codezero/promptFormat.ts'
import { trueFalseJudge } from '#environments/codezero/trueFalseJudge.ts'
import { readDecoderConfig } from '#model/decoderConfig.ts'
import { ModelFileError } from '#model/modelErrors.ts'
import { checkTokenizerFits, PretrainedTokenizer } from '#model/pretrainedTokenizer.ts'
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
  // A large tokenizer takes a second or two of this thread, so it is read before a peer has anything else to do.
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

async function readTokenizer(folder: string, hash: string): Promise<PretrainedTokenizer> {
  const tokenizer = await PretrainedTokenizer.read(folder)
  checkTokenizerFits(tokenizer, await readDecoderConfig(folder), folder)
  if (tokenizer.hash === hash) return tokenizer
  throw new EnvironmentMismatchError(
    `The tokenizer in ${folder} is ${tokenizer.hash}, the environment's ${hash}: prompts would differ from everybody else's.`,
    { hint: 'Use a model of the family, and the revision, that the environment is for.' },
  )
}
