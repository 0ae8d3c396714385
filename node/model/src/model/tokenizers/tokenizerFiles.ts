import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '#base/parseJson.ts'
import { endTokensSchema } from '../decoder/huggingFaceConfig.ts'
import { readTextFileIfAny } from '../files/textFile.ts'
import { ModelFileError } from '../modelErrors.ts'
import type { AddedToken } from './controlTokens.ts'

/** The largest public tokenizer.json has 33 MB. */
const MAX_TOKENIZER_BYTES = 64 * 1024 * 1024
/** Templates with tools have 12 kB; a tokenizer_config.json that lists every added token 300 kB. */
const MAX_SMALL_BYTES = 4 * 1024 * 1024
/** No published vocabulary has larger ids. */
const MAX_ID = 1_000_000
const MAX_TOKEN_CHARACTERS = 1024
/** deepseek-coder's, the longest, have 2,000. */
const MAX_RULE_CHARACTERS = 1 << 16

const id = z.int().min(0).max(MAX_ID)
const flag = z.boolean().default(false)
const isWellFormed = (text: string) => text.isWellFormed()
/** A plain object; its entries are checked one by one, since a schema for each of 150,000 takes a second. */
const anyRecord = z.custom<Record<string, unknown>>(
  value => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected an object',
)

const byteLevel = z.looseObject({ type: z.literal('ByteLevel') })
const preTokenizer = z.union([
  byteLevel,
  z.looseObject({ type: z.literal('Sequence'), pretokenizers: z.array(z.looseObject({ type: z.string() })).max(16) }),
])
const pattern = z.union(
  [z.object({ String: z.string() }), z.object({ Regex: z.string() })],
  'must be a String or a Regex',
)
/** Rules by type that the library would apply differently, or not at all, without an error if these fields are unknown. */
const ruleSchemas = new Map<unknown, z.ZodType>([
  [
    'Split',
    z
      .looseObject({
        pattern,
        behavior: z.enum(['Removed', 'Isolated'], 'only Removed and Isolated are supported'),
        invert: flag,
      })
      .refine(({ behavior, invert }) => behavior === 'Removed' || !invert, {
        error: 'is supported with Removed only',
        path: ['invert'],
      }),
  ],
  [
    'Punctuation',
    z.looseObject({
      behavior: z.enum(['Isolated', 'Contiguous'], 'only Isolated and Contiguous are supported').default('Isolated'),
    }),
  ],
  ['Replace', z.looseObject({ pattern, content: z.string() })],
])
/** It leaves out rules that are null. */
const ruleSchema = z.looseObject({ type: z.string() }, 'must be a rule')

const tokenizerSchema = z.looseObject({
  added_tokens: z
    .array(
      z
        .looseObject({
          id,
          content: z.string().min(1).max(MAX_TOKEN_CHARACTERS).refine(isWellFormed, 'has half of a character'),
          special: flag,
          lstrip: flag,
          rstrip: flag,
          single_word: z.literal(false, 'whole-word tokens are not supported').default(false),
        })
        // It could not be broken up in a text, see `controlTokens`.
        .refine(({ content, special }) => !special || [...content].length > 1, {
          error: 'is one character, and special tokens need two',
          path: ['content'],
        }),
    )
    .max(10_000)
    .default([]),
  normalizer: z.looseObject({ type: z.string() }).nullish(),
  pre_tokenizer: preTokenizer,
  decoder: byteLevel,
  model: z.looseObject({
    type: z.literal('BPE', 'only byte-level BPE is supported').default('BPE'),
    byte_fallback: z.literal(false, 'SentencePiece vocabularies are not supported').default(false),
    vocab: anyRecord,
    merges: z.array(z.unknown()).max(MAX_ID),
  }),
})

const tokenName = z
  .union([z.string(), z.looseObject({ content: z.string() }).transform(({ content }) => content)])
  .nullish()
const specialsSchema = z.looseObject({
  bos_token: tokenName,
  eos_token: tokenName,
  pad_token: tokenName,
  unk_token: tokenName,
})
const configSchema = specialsSchema.extend({
  chat_template: z
    .union([z.string(), z.array(z.looseObject({ name: z.string(), template: z.string() })).max(64)])
    .nullish(),
})
const generationSchema = z.looseObject({ eos_token_id: z.union([id, z.array(id).max(64)]).nullish() })
const modelSchema = z.looseObject({ eos_token_id: endTokensSchema })

/** Checked content of a tokenizer's files. */
export type TokenizerFiles = {
  /** Path of tokenizer.json, and its content, for the library. */
  readonly path: string
  readonly content: string
  readonly json: z.output<typeof tokenizerSchema>
  readonly added: readonly AddedToken[]
  /** Texts by id, in the byte alphabet but for added tokens. */
  readonly tokens: ReadonlyMap<number, string>
  readonly specials: { readonly bos?: string; readonly eos?: string; readonly pad?: string; readonly unk?: string }
  /** Whether tokenizer_config.json asks for the beginning of a text before each. */
  readonly addsBos: boolean
  /** Ids that end a completion by generation_config.json; if it names none, by config.json. */
  readonly endIds: readonly number[]
  /** The chat template and its file; null if there is none. */
  readonly template: { readonly path: string; readonly text: string } | null
}

/**
 * Reads tokenizer.json, tokenizer_config.json, special_tokens_map.json, generation_config.json, config.json and chat_template.jinja of a
 * folder; all but the first may be missing. A template file goes before one in the configuration, and end tokens of generation_config.json before
 * those of config.json, as in transformers; of the latter, unknown ids are left out, since they never come.
 *
 * @throws {ModelFileError} naming the file and the field that is malformed, out of bounds or not supported.
 */
export async function readTokenizerFiles(folder: string): Promise<TokenizerFiles> {
  const path = join(folder, 'tokenizer.json')
  const content = await readTextFileIfAny(path, MAX_TOKENIZER_BYTES)
  if (content === null)
    throw new ModelFileError(path, 'file', 'is missing', {
      hint: 'Use a folder with a tokenizer.json; transformers writes one with save_pretrained.',
    })
  const json = parse(path, content, tokenizerSchema)
  checkRules(json, path)
  const tokens = tokensById(json, path)
  checkMerges(json, path)
  const optional = async <T extends z.ZodType>(name: string, schema: T) => {
    const text = await readTextFileIfAny(join(folder, name), MAX_SMALL_BYTES)
    return parse(join(folder, name), text ?? '{}', schema)
  }
  const map = await optional('special_tokens_map.json', specialsSchema)
  const config = await optional('tokenizer_config.json', configSchema)
  const generation = await optional('generation_config.json', generationSchema)
  const names = { bos: config.bos_token ?? map.bos_token, eos: config.eos_token ?? map.eos_token }
  const rest = { pad: config.pad_token ?? map.pad_token, unk: config.unk_token ?? map.unk_token }
  const specials = Object.fromEntries(Object.entries({ ...names, ...rest }).filter(([, name]) => name != null))
  const templatePath = join(folder, 'chat_template.jinja')
  const file = await readTextFileIfAny(templatePath, MAX_SMALL_BYTES)
  const inConfig = Array.isArray(config.chat_template)
    ? config.chat_template.find(({ name }) => name === 'default')?.template
    : config.chat_template
  const template =
    file !== null
      ? { path: templatePath, text: file }
      : inConfig != null
        ? { path: join(folder, 'tokenizer_config.json'), text: inConfig }
        : null
  const model = await optional('config.json', modelSchema)
  const ofModel = [model.eos_token_id ?? []].flat().filter(end => tokens.has(end))
  const endIds = [generation.eos_token_id ?? ofModel].flat()
  const addsBos = config.add_bos_token === true
  return { path, content, json, added: json.added_tokens, tokens, specials, addsBos, endIds, template }
}

function parse<T extends z.ZodType>(path: string, text: string, schema: T): z.output<T> {
  const content = parseJson(text, (problem, cause) => new ModelFileError(path, 'content', problem, { cause }))
  const parsed = schema.safeParse(content)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new ModelFileError(path, issue?.path.join('.') || 'content', issue?.message ?? 'is not valid', {
    hint: 'Waggle reads byte-level BPE tokenizers, as Qwen2, Qwen3, Llama 3 and deepseek-coder have.',
  })
}

/** Checks the rules that change and split texts before merging. */
function checkRules({ normalizer, pre_tokenizer }: TokenizerFiles['json'], path: string): void {
  for (const [field, rule] of Object.entries({ normalizer, pre_tokenizer })) {
    const { length } = JSON.stringify(rule ?? null)
    if (length > MAX_RULE_CHARACTERS) throw new ModelFileError(path, field, `has ${length} characters`)
  }
  if (normalizer) checkRule(normalizer, 'normalizer', path)
  checkRule(pre_tokenizer, 'pre_tokenizer', path)
}

/** Checks a rule, and those of a sequence at any depth, which {@link parseJson} bounds. */
function checkRule(rule: unknown, field: string, path: string): void {
  const { type, normalizers, pretokenizers } = (rule ?? {}) as Record<string, unknown>
  const issue = (ruleSchemas.get(type) ?? ruleSchema).safeParse(rule).error?.issues[0]
  if (issue) throw new ModelFileError(path, [field, ...issue.path].join('.'), issue.message)
  for (const [name, rules] of Object.entries({ normalizers, pretokenizers }))
    if (Array.isArray(rules))
      for (const [at, inner] of rules.entries()) checkRule(inner, `${field}.${name}.${at}`, path)
}

function tokensById({ model, added_tokens }: TokenizerFiles['json'], path: string): Map<number, string> {
  const tokens = new Map<number, string>()
  const put = (field: string, text: string, value: unknown) => {
    if (!id.safeParse(value).success) throw new ModelFileError(path, field, `${value} is not a token's id`)
    const known = tokens.get(value as number)
    if (known !== undefined && known !== text)
      throw new ModelFileError(path, field, `id ${value} is taken by ${known.slice(0, 40)}`)
    tokens.set(value as number, text)
  }
  for (const text of Object.keys(model.vocab)) put(`model.vocab.${text.slice(0, 40)}`, text, model.vocab[text])
  for (const { content, id: value } of added_tokens) {
    const other = Object.hasOwn(model.vocab, content) ? model.vocab[content] : value
    if (other !== value)
      throw new ModelFileError(path, `added_tokens.${content.slice(0, 40)}`, `has ids ${other} and ${value}`)
    put(`added_tokens.${content.slice(0, 40)}`, content, value)
  }
  if (tokens.size === 0) throw new ModelFileError(path, 'model.vocab', 'is empty')
  return tokens
}

/** Every merge must lead from tokens to a token: otherwise a piece of text would get no id and be left out. */
function checkMerges({ model: { vocab, merges } }: TokenizerFiles['json'], path: string): void {
  for (const [rank, merge] of merges.entries()) {
    const pair: readonly unknown[] = typeof merge === 'string' ? merge.split(' ') : Array.isArray(merge) ? merge : []
    const [left, right, ...more] = pair
    const isPair = typeof left === 'string' && typeof right === 'string' && more.length === 0
    if (!isPair || ![left, right, left + right].every(text => Object.hasOwn(vocab, text)))
      throw new ModelFileError(path, `model.merges.${rank}`, 'is not of the vocabulary')
  }
}
