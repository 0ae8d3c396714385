import type { Hex } from '#core/hex.ts'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { ModelFileError } from '#model/modelErrors.ts'
import { checkTokenizerFits } from '#model/tokenizers/checkTokenizerFits.ts'
import { openTokenizer, type TokenizerClient } from '#model/tokenizers/tokenizerClient.ts'
import { EnvironmentMismatchError } from './environmentMismatch.ts'

/**
 * The tokenizer of a model that is prompted, checked against a specification.
 *
 * @throws {EnvironmentMismatchError} if it differs.
 * @throws {ModelFileError} if a file of the model is missing or damaged, or its vocabulary is too small.
 */
export async function openChatTokenizer(
  folder: string,
  { tokenizerHash, vocabSize }: { tokenizerHash: string; vocabSize: number },
): Promise<TokenizerClient> {
  const tokenizer = await openTokenizerOf(folder, tokenizerHash)
  const config = await readDecoderConfig(folder)
  if (config.vocabSize >= vocabSize) return tokenizer
  await tokenizer.close()
  throw new ModelFileError(folder, 'vocab_size', `${config.vocabSize} is below the environment's ${vocabSize}`, {
    hint: 'Use a model of the family that the environment is for.',
  })
}

/** The tokenizer of any model, checked against the specification's hash. */
export async function openTokenizerOf(folder: string, hash: string): Promise<TokenizerClient> {
  const config = await readDecoderConfig(folder)
  const tokenizer = await openTokenizer(folder)
  if (tokenizer.hash === hash && tokenizer.vocabSize <= config.vocabSize) return tokenizer
  await tokenizer.close()
  checkTokenizerFits(tokenizer, config, folder)
  throw new EnvironmentMismatchError(
    `The tokenizer in ${folder} is ${tokenizer.hash}, the environment's ${hash}: prompts would differ from everybody else's.`,
    {
      hint: "Use a model of the family, and the revision, that the environment is for. If this is the one, the environment's file is of another release: it has to be made again with npx waggle environment create, put on the chain by the swarm's owner (npx waggle owner propose environment FILE), and given to all operators.",
    },
  )
}

/** The tokenizer of a model that only produces text, which may be any. @throws {ModelFileError} if it does not fit the model. */
export async function openOwnTokenizer(folder: string): Promise<{ tokenizer: TokenizerClient; vocabSize: number }> {
  const { vocabSize, ...config } = await readDecoderConfig(folder)
  const tokenizer = await openTokenizer(folder)
  if (tokenizer.vocabSize <= vocabSize) return { tokenizer, vocabSize }
  await tokenizer.close()
  checkTokenizerFits(tokenizer, { ...config, vocabSize }, folder)
  return { tokenizer, vocabSize }
}

/** A tokenizer's entry in a specification, against which others are checked. */
export async function describeTokenizer(folder: string): Promise<{ tokenizerHash: Hex; vocabSize: number }> {
  const { tokenizer, vocabSize } = await openOwnTokenizer(folder)
  await tokenizer.close()
  return { tokenizerHash: tokenizer.hash, vocabSize }
}
