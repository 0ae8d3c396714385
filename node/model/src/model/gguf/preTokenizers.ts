/** How a family splits a text before merging, as `tokenizer.json` says it. */
interface PreTokenizer {
  readonly normalizer: object | null
  readonly pre_tokenizer: object
  /** Whether a piece that is a token is not merged from its bytes. */
  readonly ignore_merges: boolean
}

const byteLevel = (use_regex: boolean) => ({
  type: 'ByteLevel',
  add_prefix_space: false,
  trim_offsets: true,
  use_regex,
})
const split = (Regex: string) => ({ type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false })
const digits = { type: 'Digits', individual_digits: true }
const sequence = (...pretokenizers: object[]) => ({ type: 'Sequence', pretokenizers })

const words = (numbers: string) =>
  `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${numbers}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`

const plain = { normalizer: null, ignore_merges: false }
const gpt2: PreTokenizer = { ...plain, pre_tokenizer: byteLevel(true) }
const singleDigits: PreTokenizer = { ...plain, pre_tokenizer: sequence(digits, byteLevel(true)) }
const qwen2: PreTokenizer = {
  ...plain,
  normalizer: { type: 'NFC' },
  pre_tokenizer: sequence(split(words('\\p{N}')), byteLevel(false)),
}
const llama3: PreTokenizer = {
  ...plain,
  pre_tokenizer: sequence(split(words('\\p{N}{1,3}')), byteLevel(false)),
  ignore_merges: true,
}
const deepseekCoder: PreTokenizer = {
  ...plain,
  pre_tokenizer: sequence(
    ...['[\\r\\n]', '\\s?\\p{L}+', '\\s?\\p{P}+', '[一-龥ࠀ-一가-퟿]+'].map(split),
    digits,
    byteLevel(false),
  ),
}

/**
 * By the names of `tokenizer.ggml.pre`.
 *
 * @see llama.cpp, `llama_vocab::impl::load`, and the tokenizer.json of the models that the names are of.
 */
export const preTokenizers: ReadonlyMap<string, PreTokenizer> = new Map([
  ['gpt-2', gpt2],
  ['smollm', singleDigits],
  ['starcoder', singleDigits],
  ['refact', singleDigits],
  ['command-r', singleDigits],
  ['qwen2', qwen2],
  ['deepseek-r1-qwen', qwen2],
  ['llama-bpe', llama3],
  ['llama3', llama3],
  ['llama-v3', llama3],
  ['deepseek-coder', deepseekCoder],
])
