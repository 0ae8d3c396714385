import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { ModelFileError } from '../modelErrors.ts'

/**
 * Whether tokens of a tokenizer are inputs and outputs of a model. A model may have more of them: vocabularies are padded.
 *
 * @param file - what to call the tokenizer in an error.
 * @throws {ModelFileError} if the tokenizer has tokens that the model lacks.
 */
export function checkTokenizerFits(
  tokenizer: { readonly vocabSize: number },
  config: DecoderConfig,
  file: string,
): void {
  if (tokenizer.vocabSize <= config.vocabSize) return
  throw new ModelFileError(
    file,
    'model.vocab',
    `has ${tokenizer.vocabSize} tokens for a model of ${config.vocabSize}`,
    {
      hint: 'Use the tokenizer.json and the config.json of the same model.',
    },
  )
}
