import { assignedText } from './assignedText.ts'

/**
 * The pieces of a text inside which byte pairs are merged.
 *
 * One expression, equal to Hugging Face's `Sequence[Digits(individual_digits), ByteLevel(add_prefix_space = false)]`: GPT-2's
 * split, in which a digit always stands alone and white space before a digit ends a piece as it does at the end of the text.
 * `\p{White_Space}` and not `\s`, because JavaScript's `\s` holds U+FEFF and lacks U+0085.
 *
 * @see https://github.com/huggingface/tokenizers/blob/main/tokenizers/src/pre_tokenizers/byte_level.rs
 */
const PIECE =
  /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+|\p{N}| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?![^\p{White_Space}\p{N}])|\p{White_Space}+/gu

/** Splits a text into pieces; joined, they are what {@link assignedText} makes of it. */
export function preTokenize(text: string): string[] {
  return assignedText(text).match(PIECE) ?? []
}
