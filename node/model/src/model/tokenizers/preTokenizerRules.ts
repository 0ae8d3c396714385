/** A rule of `tokenizer.json` that splits texts before merging; its fields are checked by `readTokenizerFiles`. */
export type PreTokenizerRule = { readonly type: string; readonly [field: string]: unknown }

/** GPT-2's split, for the library, which reads `\s` of a file's pattern as White_Space. */
const GPT2 = String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

/** All of ASCII's, symbols included, and Unicode's. */
const PUNCTUATION = String.raw`[\p{P}!-/:-@\[-\x60{-~]`

/**
 * A rule by which the JavaScript library splits as the one in Rust does, and so as transformers. Its own `Digits` are those of ASCII only, its
 * `Punctuation` never splits a run of marks, and the white space of its `ByteLevel` is JavaScript's, with U+FEFF and without U+0085. Patterns of a file,
 * as those of `Split`, have no such differences.
 *
 * @see https://github.com/huggingface/tokenizers/tree/main/tokenizers/src/pre_tokenizers
 */
export function asInRust(rule: PreTokenizerRule): PreTokenizerRule {
  switch (rule.type) {
    case 'Sequence':
      return sequence((rule.pretokenizers as PreTokenizerRule[]).map(asInRust))
    case 'Digits':
      return isolated(rule.individual_digits ? String.raw`\p{N}` : String.raw`\p{N}+`)
    case 'Punctuation':
      return rule.behavior === 'Contiguous' ? rule : isolated(PUNCTUATION)
    case 'ByteLevel':
      return byteLevel(rule)
    default:
      return rule
  }
}

function byteLevel(rule: PreTokenizerRule): PreTokenizerRule {
  const { use_regex = true, add_prefix_space } = rule
  if (!use_regex) return rule
  // The space goes before the text and not before each of its pieces. A negative lookahead would also match within surrogate pairs.
  const prefix = { type: 'Replace', pattern: { Regex: String.raw`\A(?=[^ ])` }, content: ' ' }
  const bytes = { ...rule, use_regex: false, add_prefix_space: false }
  return sequence([...(add_prefix_space ? [prefix] : []), isolated(GPT2), bytes])
}

const sequence = (pretokenizers: PreTokenizerRule[]) => ({ type: 'Sequence', pretokenizers })

const isolated = (Regex: string) => ({ type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false })
