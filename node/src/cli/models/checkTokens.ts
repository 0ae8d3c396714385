import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import { UsageError } from '../usageError.ts'

/** Options that give tokens, with the advice if there are too many. */
const advice = { tokens: 'Give fewer.', prompt: 'Give a shorter text.' } as const

/**
 * @param option - by which they were given.
 * @param spare - positions to leave for more tokens.
 * @throws {UsageError} if a token is not in the vocabulary, or if there are too many.
 */
export function checkTokens(
  { vocabSize, maxPositions }: DecoderConfig,
  tokens: Int32Array,
  option: keyof typeof advice = 'tokens',
  spare = 0,
): void {
  const unknown = tokens.find(token => token >= vocabSize)
  if (unknown !== undefined)
    throw new UsageError(`--${option}: ${unknown} is not in the vocabulary of ${vocabSize}.`, {
      hint: 'Use the ids of this model’s own tokenizer.',
    })
  if (tokens.length + spare > maxPositions)
    throw new UsageError(
      `--${option}: ${tokens.length} tokens are too many for the ${maxPositions} positions of this model.`,
      { hint: advice[option] },
    )
}
