import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import { UsageError } from '../usageError.ts'

/**
 * @param spare - positions to leave for more tokens.
 * @throws {UsageError} if a token is not in the vocabulary, or if there are too many.
 */
export function checkTokens({ vocabSize, maxPositions }: DecoderConfig, tokens: Int32Array, spare = 0): void {
  const unknown = tokens.find(token => token >= vocabSize)
  if (unknown !== undefined)
    throw new UsageError(`--tokens: ${unknown} is not in the vocabulary of ${vocabSize}.`, {
      hint: 'Use the ids of this model’s own tokenizer.',
    })
  if (tokens.length + spare > maxPositions)
    throw new UsageError(`--tokens: ${tokens.length} are too many for the ${maxPositions} positions of this model.`, {
      hint: 'Give fewer.',
    })
}
