import { z } from 'zod'
import { ModelFileError } from '../modelErrors.ts'
import type { GgufFile } from './readGguf.ts'

/** How a family splits a text before merging, as `tokenizer.json` says it. */
interface PreTokenizer {
  readonly normalizer: object | null
  readonly pre_tokenizer: object
  /** Whether a piece that is a token is not merged from its bytes. */
  readonly ignore_merges: boolean
  /** Whether texts begin with BOS where the file does not say. */
  readonly addsBos: boolean
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

const plain = { normalizer: null, ignore_merges: false, addsBos: false }
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
  addsBos: true,
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
const preTokenizers: ReadonlyMap<string, PreTokenizer> = new Map([
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

/** Kinds of token, by their number in `tokenizer.ggml.token_type`. */
const KIND = { control: 3, userDefined: 4, unused: 5 } as const

const id = z.int('must be a token’s id').min(0).optional()
const texts = z.array(z.string('is not a string')).max(1_000_000)
const tokenizerSchema = z.object({
  'tokenizer.ggml.model': z.literal(
    'gpt2',
    'is not byte-level BPE; SentencePiece and other vocabularies are not supported',
  ),
  'tokenizer.ggml.pre': z.enum([...preTokenizers.keys()], `must be one of ${[...preTokenizers.keys()].join(', ')}`),
  'tokenizer.ggml.tokens': texts.min(1),
  'tokenizer.ggml.token_type': z.array(z.int()).optional(),
  'tokenizer.ggml.merges': texts,
  'tokenizer.ggml.bos_token_id': id,
  'tokenizer.ggml.eos_token_id': id,
  'tokenizer.ggml.eot_token_id': id,
  'tokenizer.ggml.eom_token_id': id,
  'tokenizer.ggml.unknown_token_id': id,
  'tokenizer.ggml.padding_token_id': id,
  'tokenizer.ggml.add_bos_token': z.boolean().optional(),
  'tokenizer.chat_template': z.string().optional(),
})

/** A tokenizer's files as Hugging Face's libraries read them, by name. */
interface TokenizerContents {
  readonly files: Readonly<Record<string, object>>
  /** Ids that end a completion. */
  readonly endTokens: readonly number[]
}

/**
 * The tokenizer of a GGUF file: byte-level BPE, whose split of texts the file only names.
 *
 * @throws {ModelFileError} naming the file and the field that is missing, malformed or not supported.
 */
export function ggufTokenizer(file: GgufFile): TokenizerContents {
  const { said, kinds, idOf } = readTokenizer(file)
  const tokens = said['tokenizer.ggml.tokens']
  const nameOf = (role: 'bos' | 'eos' | 'eot' | 'eom' | 'unknown' | 'padding') => {
    const found = said[`tokenizer.ggml.${role}_token_id`]
    if (found === undefined) return undefined
    if (found < tokens.length) return tokens[found] as string
    // Converters write 2^32 - 1 for none.
    if (role === 'eom' || role === 'unknown' || role === 'padding') return undefined
    throw new ModelFileError(file.path, `tokenizer.ggml.${role}_token_id`, `${found} is not a token`)
  }
  const [bos, eos, unk, pad] = (['bos', 'eos', 'unknown', 'padding'] as const).map(nameOf)
  const ends = endsOf([eos, nameOf('eot'), nameOf('eom')], kinds, idOf)
  const kindOf = (text: string) => (ends.has(text) ? KIND.control : kinds[idOf.get(text) as number])
  const added = tokens.filter(text => isAdded(kindOf(text)))
  const merges = said['tokenizer.ggml.merges'].map(merge => merge.split(' '))
  const outside = firstOutside(tokens, kindOf)
  const inVocab = tokens.filter((text, at) => at < outside && kindOf(text) !== KIND.unused)
  const split = preTokenizers.get(said['tokenizer.ggml.pre'])
  const decoder = { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true }
  const endTokens = [...ends].map(text => idOf.get(text) as number)
  const addsBos = said['tokenizer.ggml.add_bos_token']
  const startsWith = addsBos === true && bos !== undefined ? bos : null
  // In the configuration: a peer that imports the file again has a tokenizer.json of the same bytes, and so the same hash.
  const byFamily = addsBos === undefined && split?.addsBos ? { add_bos_token: true } : {}
  const config = { tokenizer_class: 'PreTrainedTokenizerFast', clean_up_tokenization_spaces: false, ...byFamily }
  const names = { bos_token: bos, eos_token: eos, unk_token: unk, pad_token: pad }
  return {
    endTokens,
    files: {
      'tokenizer.json': {
        version: '1.0',
        truncation: null,
        padding: null,
        added_tokens: added.map(content => ({
          id: idOf.get(content),
          content,
          ...{ single_word: false, lstrip: false, rstrip: false, normalized: false },
          special: kindOf(content) === KIND.control,
        })),
        normalizer: split?.normalizer ?? null,
        pre_tokenizer: split?.pre_tokenizer,
        post_processor: startsWith === null ? null : startWith(startsWith, idOf.get(startsWith) as number),
        decoder,
        model: {
          type: 'BPE',
          ...{ dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null },
          ...{ fuse_unk: false, byte_fallback: false, ignore_merges: split?.ignore_merges ?? false },
          vocab: Object.fromEntries(inVocab.map(text => [text, idOf.get(text)])),
          merges,
        },
      },
      'tokenizer_config.json': { ...config, ...names, chat_template: said['tokenizer.chat_template'] },
      'generation_config.json': { eos_token_id: endTokens },
    },
  }
}

/** Control tokens that end a completion whatever the file says, as in llama.cpp. */
const ENDS = ['<|endoftext|>', '<|end_of_text|>', '<|im_end|>', '<|eot_id|>', '<|eom_id|>'] as const

/** Texts of the tokens that end a completion: EOS, then the others by their ids, as published models list them. */
function endsOf(
  [eos, ...named]: readonly (string | undefined)[],
  kinds: readonly number[],
  idOf: ReadonlyMap<string, number>,
): ReadonlySet<string> {
  const id = (text: string) => idOf.get(text) ?? -1
  const others = [...named, ...ENDS.filter(text => kinds[id(text)] === KIND.control)].filter(text => text !== undefined)
  return new Set([...(eos === undefined ? [] : [eos]), ...others.sort((a, b) => id(a) - id(b))])
}

const CONVERT_AGAIN = 'Use a GGUF of a model with a byte-level BPE tokenizer, made by a current convert_hf_to_gguf.py.'

/** The fields of the tokenizer. Each token is there once, and has a row of the embedding. */
function readTokenizer({ path, metadata, tensors }: GgufFile) {
  const parsed = tokenizerSchema.safeParse(metadata)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const field = issue?.path.join('.') || 'tokenizer'
    const problem = Object.hasOwn(metadata, field.replace(/\.\d+$/, '')) ? issue?.message : 'is missing'
    throw new ModelFileError(path, field, problem ?? 'is malformed', { hint: CONVERT_AGAIN })
  }
  const { 'tokenizer.ggml.tokens': tokens, 'tokenizer.ggml.token_type': kinds } = parsed.data
  const rows = tensors.get('token_embd.weight')?.shape[0]
  if (rows !== undefined && tokens.length > rows)
    throw new ModelFileError(path, 'tokenizer.ggml.tokens', `has ${tokens.length} tokens for an embedding of ${rows}`)
  const idOf = new Map(tokens.map((text, at) => [text, at]))
  const twice = tokens.findIndex((text, at) => idOf.get(text) !== at)
  if (twice !== -1) throw new ModelFileError(path, `tokenizer.ggml.tokens.${twice}`, 'is there twice')
  return { said: parsed.data, kinds: checkedKinds(path, kinds, tokens.length), idOf }
}

/** Without kinds, the names of control tokens in a chat template would be spelled as text. */
function checkedKinds(path: string, kinds: readonly number[] | undefined, due: number): readonly number[] {
  if (kinds?.length === due) return kinds
  const problem = kinds
    ? `has ${kinds.length} kinds of ${due} tokens`
    : 'is missing: it says which tokens are control tokens, which a chat needs'
  throw new ModelFileError(path, 'tokenizer.ggml.token_type', problem, { hint: CONVERT_AGAIN })
}

/**
 * The first of the added tokens that follow all others, or where they would be.
 *
 * Hugging Face's library numbers added tokens outside of the vocabulary itself, one after the other from its end on: those before
 * or between other tokens must stand in the vocabulary.
 */
function firstOutside(tokens: readonly string[], kindOf: (text: string) => number | undefined): number {
  const last = tokens.findLastIndex(text => !isAdded(kindOf(text)) && kindOf(text) !== KIND.unused)
  const hole = tokens.findIndex((text, at) => at > last && !isAdded(kindOf(text)))
  const isWhole = hole < 0 || !tokens.slice(hole).some(text => isAdded(kindOf(text)))
  return isWhole ? last + 1 : tokens.length
}

const isAdded = (kind: number | undefined) => kind === KIND.control || kind === KIND.userDefined

/** Puts a token before every text, as transformers does where it is told to; chat templates write their own. */
function startWith(content: string, id: number): object {
  const special = { SpecialToken: { id: content, type_id: 0 } }
  return {
    type: 'TemplateProcessing',
    single: [special, { Sequence: { id: 'A', type_id: 0 } }],
    pair: [special, { Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }],
    special_tokens: { [content]: { id: content, ids: [id], tokens: [content] } },
  }
}
