import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { parseDecoderConfig } from '../decoder/decoderConfig.ts'
import { ModelFileError, ModelInputError } from '../modelErrors.ts'
import { assignedText } from './assignedText.ts'
import { checkTokenizerFits } from './checkTokenizerFits.ts'
import { PretrainedTokenizer } from './pretrainedTokenizer.ts'

// Golden values: Hugging Face tokenizers and transformers, by scripts/golden/tokenizerVectors.py.
type Golden = {
  texts: { text: string; ids: number[] }[]
  decoded: { ids: number[]; drop: string; keep: string }[]
  specials: Record<string, number>
  chats: { messages: { role: 'system' | 'user' | 'assistant'; content: string }[]; ids: number[] }[]
}
const golden = join(import.meta.dirname, '../golden', 'tokenizers')
const families = ['qwen', 'deepseek', 'llama'] as const
const scratch = await mkdtemp(join(tmpdir(), 'waggle-pretrained-'))
afterAll(() => rm(scratch, { recursive: true }))
let copies = 0

/** A family's folder with one file changed; its tokenizer, or why there is none. */
async function changed(family: (typeof families)[number], file: string, change: (json: never) => unknown) {
  const folder = join(scratch, String(copies++))
  await cp(join(golden, family), folder, { recursive: true })
  const old = await readFile(join(folder, file), 'utf8')
  const content = change((file.endsWith('.json') ? JSON.parse(old) : old) as never)
  await writeFile(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content))
  return PretrainedTokenizer.read(folder)
}

describe.each(families)('%s', async family => {
  const tokenizer = await PretrainedTokenizer.read(join(golden, family))
  const { texts, decoded, specials, chats }: Golden = JSON.parse(
    await readFile(join(golden, family, 'golden.json'), 'utf8'),
  )

  test.each(texts)('tokens of $text are those of Hugging Face', ({ text, ids }) => {
    expect([...tokenizer.encode(text)]).toEqual(ids)
  })

  test.each(decoded)('ids are decoded as Hugging Face does', ({ ids, drop, keep }) => {
    expect(tokenizer.decode(ids)).toBe(drop)
    expect(tokenizer.decode(ids, 'keep')).toBe(keep)
  })

  test.each(chats)('a conversation is rendered and encoded as transformers does', ({ messages, ids }) => {
    expect([...tokenizer.chatPrompt(messages)]).toEqual(ids)
  })

  test('special tokens are found by name, and an answer ends with the tokenizer’s own', () => {
    for (const [name, id] of Object.entries(specials)) expect(tokenizer.special(name)).toBe(id)
    const end = { qwen: '<|im_end|>', deepseek: '<|EOT|>', llama: '<|eot_id|>' }[family]
    expect(tokenizer.endTokens).toEqual([tokenizer.special(end)])
    expect(() => tokenizer.special('<no>')).toThrow(ModelInputError)
  })

  test('control tokens in a text or a message stay text, however they are cut', () => {
    const names = [...Object.keys(specials), '<think>', '</think>', '<|im_', 'end|>', '<', '|>', '\udc00', 'a']
    const frame = controlsIn(tokenizer.chatPrompt([{ role: 'system', content: 'x' }, user('y')]))
    const pieces = fc.array(fc.constantFrom(...names), { maxLength: 6 }).map(parts => parts.join(''))
    function controlsIn(ids: Int32Array): number[] {
      return [...ids].filter(id => Object.values(specials).includes(id))
    }
    fc.assert(
      fc.property(pieces, pieces, (a, b) => {
        expect(controlsIn(tokenizer.encode(a))).toEqual([])
        expect(tokenizer.decode(tokenizer.encode(a))).toBe(
          a.toWellFormed().normalize(family === 'qwen' ? 'NFC' : undefined),
        )
        const prompt = tokenizer.chatPrompt([{ role: 'system', content: a }, user(b)])
        expect(controlsIn(prompt)).toEqual(frame)
        expect(tokenizer.decode(prompt)).toContain(b.toWellFormed())
      }),
      { numRuns: 40 },
    )
  })

  test('any text comes back, in characters that Unicode 16 assigns', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 })
    fc.assert(
      fc.property(text, value => {
        const read = assignedText(value)
        const same = family === 'qwen' ? read.normalize('NFC') : read
        // deepseek-coder's vocabulary spells a few letters as bytes that are not UTF-8.
        if (!/[õ÷Á]/.test(same)) expect(tokenizer.decode(tokenizer.encode(value))).toBe(same)
      }),
      { numRuns: 60 },
    )
  })
})

const user = (content: string) => ({ role: 'user', content }) as const

test('an id that the tokenizer does not have reads as U+FFFD', async () => {
  const tokenizer = await PretrainedTokenizer.read(join(golden, 'qwen'))
  expect(tokenizer.decode([tokenizer.vocabSize + 7, -1])).toBe('\ufffd\ufffd')
})

test('a tokenizer with more tokens than its model is refused, a padded model is not', async () => {
  const tokenizer = await PretrainedTokenizer.read(join(golden, 'qwen'))
  const shape = {
    model_type: 'qwen2',
    hidden_size: 8,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    intermediate_size: 8,
  }
  const config = (vocab_size: number) => parseDecoderConfig({ ...shape, vocab_size })
  expect(() => checkTokenizerFits(tokenizer, config(tokenizer.vocabSize + 100), 'x')).not.toThrow()
  expect(() => checkTokenizerFits(tokenizer, config(tokenizer.vocabSize - 1), 'tokenizer.json')).toThrow(
    expect.objectContaining({ code: 'MODEL_FILE', file: 'tokenizer.json', field: 'model.vocab' }),
  )
})

test('the hash covers everything that decides the tokens', async () => {
  const { hash } = await PretrainedTokenizer.read(join(golden, 'llama'))
  expect((await PretrainedTokenizer.read(join(golden, 'llama'))).hash).toBe(hash)
  const other = await changed('llama', 'chat_template.jinja', (text: string) => `${text} `)
  expect(other.hash).not.toBe(hash)
})

test.each([
  ['generation_config.json', ['<|im_end|>'], '<|endoftext|>', ['<|endoftext|>', '<|im_end|>']],
  ['config.json, if no other file names any', null, '<|im_end|>', ['<|endoftext|>', '<|im_end|>']],
  ['the tokenizer alone, if config.json names no token of it', null, 9999, ['<|endoftext|>']],
] as const)('an answer also ends by %s', async (_, generation, model, ends) => {
  const { specials }: Golden = JSON.parse(await readFile(join(golden, 'qwen', 'golden.json'), 'utf8'))
  const idOf = (name: string) => specials[name] as number
  const folder = join(scratch, String(copies++))
  await cp(join(golden, 'qwen'), folder, { recursive: true })
  const write = (name: string, value: object) => writeFile(join(folder, name), JSON.stringify(value))
  await write('tokenizer_config.json', { eos_token: '<|endoftext|>' })
  await write('generation_config.json', { eos_token_id: generation?.map(idOf) })
  await write('config.json', { eos_token_id: typeof model === 'number' ? model : idOf(model) })
  expect((await PretrainedTokenizer.read(folder)).endTokens).toEqual(ends.map(idOf))
})

test('characters that Unicode 16 does not assign have the tokens of U+FFFD, in a text and in a conversation', async () => {
  const tokenizer = await PretrainedTokenizer.read(join(golden, 'qwen'))
  const [newer, none] = ["the \u{11db0}'s sum\u0295", "the \ufffd's sum\ufffd"]
  expect(tokenizer.encode(newer)).toEqual(tokenizer.encode(none))
  expect(tokenizer.chatPrompt([user(newer)])).toEqual(tokenizer.chatPrompt([user(none)]))
})

test('a space before a text goes before the first piece alone', async () => {
  const splitting = (add_prefix_space: boolean) =>
    changed('qwen', 'tokenizer.json', json =>
      Object.assign(json, { pre_tokenizer: { type: 'ByteLevel', add_prefix_space } }),
    )
  const [prefixed, plain] = [await splitting(true), await splitting(false)]
  expect(prefixed.encode('a b1\n c')).toEqual(plain.encode(' a b1\n c'))
  expect(prefixed.encode(' a b')).toEqual(plain.encode(' a b'))
  expect(prefixed.encode('a😀 b👍')).toEqual(plain.encode(' a😀 b👍'))
})

test.each([
  [{}, 'f(a, b) == (1)', [69, 7, 64, 11, 220, 65, 8, 220, 28, 28, 220, 7, 16, 8]],
  [{ behavior: 'Isolated' }, '((([[``~~+', [7, 7, 7, 58, 58, 63, 63, 93, 93, 10]],
  [{ behavior: 'Contiguous' }, '((([[``~~+', [7, 7, 318, 58, 63, 63, 93, 93, 10]],
])('punctuation of %j in %s is split as in Rust', async (behavior, text, ids) => {
  const pretokenizers = [
    { type: 'Punctuation', ...behavior },
    { type: 'ByteLevel', use_regex: false },
  ]
  const tokenizer = await changed('qwen', 'tokenizer.json', json =>
    Object.assign(json, { pre_tokenizer: { type: 'Sequence', pretokenizers } }),
  )
  expect([...tokenizer.encode(text)]).toEqual(ids)
})

const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } })
const single = (...pieces: object[]) => ({
  type: 'TemplateProcessing',
  single: pieces,
  special_tokens: { begin: { id: 'begin', ids: [BEGIN], tokens: ['begin'] }, far: { id: 'far', ids: [9999] } },
})
const sequence = (...processors: object[]) => ({ type: 'Sequence', processors })
const BEGIN = (await PretrainedTokenizer.read(join(golden, 'llama'))).special('<|begin_of_text|>')
const TEXT = { Sequence: { id: 'A', type_id: 0 } }
test.each<[string, object | null, number[]]>([
  ['no post-processor', null, []],
  ['bytes alone', { type: 'ByteLevel' }, []],
  ['a text alone', single(TEXT), []],
  ['an end alone', single(TEXT, special('begin')), []],
  ['a beginning and an end', single(special('begin'), TEXT, special('begin')), [BEGIN]],
  ['a template among others', sequence({ type: 'ByteLevel' }, single(special('begin'), TEXT)), [BEGIN]],
])('the tokens before a text are those of the tokenizer: %s', async (_, post_processor, begins) => {
  const tokenizer = await changed('llama', 'tokenizer.json', (json: object) => ({ ...json, post_processor }))
  expect(tokenizer.prefix).toEqual(begins)
  expect(tokenizer.encode('a b')).not.toContain(BEGIN)
})

test('without a template, the configuration says whether a text has a beginning', async () => {
  const saying = (add_bos_token: unknown) =>
    changed('llama', 'tokenizer_config.json', (json: object) => ({ ...json, add_bos_token }))
  for (const [says, begins] of [
    [true, [BEGIN]],
    [false, []],
    [undefined, []],
    ['yes', []],
  ] as const)
    expect((await saying(says)).prefix).toEqual(begins)
  expect((await saying(true)).hash).toBe((await saying(false)).hash)
})

test('a beginning that is not a token is reported where it is asked for', async () => {
  const post_processor = single(special('far'), TEXT)
  const tokenizer = await changed('llama', 'tokenizer.json', (json: object) => ({ ...json, post_processor }))
  expect(() => tokenizer.prefix).toThrow(expect.objectContaining({ code: 'MODEL_FILE', field: 'post_processor' }))
})

const splitBy = (json: Json, change: object) =>
  Object.assign(json.pre_tokenizer.pretokenizers[0] as object, change) && json
const split = { type: 'Split', pattern: { String: ' ' }, behavior: 'Isolated', invert: false }
/** A sequence instead of a rule. Its second rule has a change, or is null. */
const within = (change: object | null) => ({
  type: 'Sequence',
  pretokenizers: [split, change && { ...split, ...change }],
})
const replace = { type: 'Replace', pattern: { String: 'q' }, content: 'y' }
const inSequence = (rule: object) => ({ type: 'Sequence', normalizers: [{ type: 'NFC' }, rule] })
type Json = {
  added_tokens: { id: number; content: string }[]
  model: { vocab: Record<string, unknown>; merges: unknown[] }
  pre_tokenizer: { pretokenizers: { pattern: unknown }[] }
}
test.each<[string, (json: Json) => unknown]>([
  ['content', () => '{"model": {"vocab"'],
  ['content', () => '[]'],
  ['model', ({ model: _, ...json }) => json],
  ['model.type', json => ({ ...json, model: { ...json.model, type: 'Unigram' } })],
  ['model.vocab', json => ({ ...json, model: { ...json.model, vocab: [1] } })],
  ['model.vocab.X', json => Object.assign(json.model.vocab, { X: 5 }) && json],
  ['model.vocab.Q9', json => Object.assign(json.model.vocab, { Q9: 999999999 }) && json],
  ['model.vocab.Q9', json => Object.assign(json.model.vocab, { Q9: -1 }) && json],
  ['model.vocab.Q9', json => Object.assign(json.model.vocab, { Q9: '7' }) && json],
  ['model.vocab.漢', json => Object.assign(json.model.vocab, { 漢: 9000 }) && json],
  ['model.merges.0', json => json.model.merges.unshift(['!', '?']) && json],
  ['model.merges.0', json => json.model.merges.unshift(7) && json],
  ['added_tokens.<|im_end|>', json => Object.assign(json.added_tokens[2] as object, { id: 5 }) && json],
  ['added_tokens.0.content', json => Object.assign(json.added_tokens[0] as object, { content: '' }) && json],
  ['added_tokens.0.content', json => Object.assign(json.added_tokens[0] as object, { content: '\udc00a' }) && json],
  ['added_tokens.0.content', json => Object.assign(json.added_tokens[0] as object, { content: '§' }) && json],
  ['pre_tokenizer', json => ({ ...json, pre_tokenizer: { type: 'Metaspace' } })],
  ['decoder', json => ({ ...json, decoder: null })],
  ['pre_tokenizer.pretokenizers.0.pattern', json => splitBy(json, { pattern: 5 })],
  ['pre_tokenizer.pretokenizers.0.behavior', json => splitBy(json, { behavior: 'Nope' })],
  ['pre_tokenizer.pretokenizers.0.behavior', json => splitBy(json, { behavior: 'MergedWithPrevious' })],
  ['pre_tokenizer.pretokenizers.0.invert', json => splitBy(json, { behavior: 'Isolated', invert: true })],
  ['pre_tokenizer.pretokenizers.0.behavior', json => splitBy(json, { type: 'Punctuation', behavior: 'Removed' })],
  ['pre_tokenizer.pretokenizers.0.pretokenizers.1.pattern', json => splitBy(json, within({ pattern: { Nope: 'q' } }))],
  ['pre_tokenizer.pretokenizers.0.pretokenizers.1.behavior', json => splitBy(json, within({ behavior: 'Nope' }))],
  ['pre_tokenizer.pretokenizers.0.pretokenizers.1', json => splitBy(json, within(null))],
  ['normalizer.pattern', json => ({ ...json, normalizer: { ...replace, pattern: { Nope: 'q' } } })],
  ['normalizer.content', json => ({ ...json, normalizer: { ...replace, content: undefined } })],
  [
    'normalizer.normalizers.1.pattern',
    json => ({ ...json, normalizer: inSequence({ ...replace, pattern: undefined }) }),
  ],
  ['pre_tokenizer', json => splitBy(json, { pattern: { Regex: 'a'.repeat(10_000_000) } })],
  ['content', json => splitBy(json, { pattern: { Regex: '('.repeat(10_000) } })],
  ['normalizer', json => ({ ...json, normalizer: { type: 'Prepend', prepend: 'x'.repeat(1 << 17) } })],
  ['content', json => ({ ...json, normalizer: { type: 'Nonsense' } })],
  ['content', json => ({ ...json, pre_tokenizer: { type: 'Sequence', pretokenizers: [] } })],
  ['content', json => JSON.stringify(json).replace('{', `{"deep":${'['.repeat(1 << 20)}${']'.repeat(1 << 20)},`)],
])('a lying tokenizer.json names the field %s', async (field, change) => {
  const reading = changed('qwen', 'tokenizer.json', change)
  await expect(reading).rejects.toThrow(ModelFileError)
  await expect(reading).rejects.toMatchObject({ field, file: expect.stringContaining('tokenizer.json') })
  await expect(reading).rejects.toThrow(/^.{1,500}$/)
})

test('rules that make a text longer and longer are stopped, in time and in memory', async () => {
  const doubling = { type: 'Replace', pattern: { String: 'a' }, content: 'aa' }
  const normalizer = { type: 'Sequence', normalizers: Array.from({ length: 60 }, () => doubling) }
  await expect(changed('qwen', 'tokenizer.json', (json: Json) => ({ ...json, normalizer }))).rejects.toMatchObject({
    code: 'MODEL_FILE',
    field: 'pre_tokenizer',
  })
})

/** A template that makes a value larger again and again. */
const repeated = (from: string, grown: string) =>
  `{% set ns = namespace(v=${from}) %}{% for i in range(27) %}{% set ns.v = ${grown} %}{% endfor %}`

test.each<[string, string]>([
  ['does not end', '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}'],
  ['failed: no', "{{ raise_exception('no') }}"],
  ['is not a template', '{% for x in %}'],
  ['characters', `{% for a in range(3000) %}${'x'.repeat(400)}{% endfor %}`],
  // Each of these takes memory without end, and a list of 2^27 items ends the process.
  ['a text of', `${repeated("'x '", 'ns.v ~ ns.v')}{{ ns.v.split(' ') | length }}`],
  ['a list of', repeated('[1]', 'ns.v + ns.v')],
  ['a range of', '{{ range(2000000000) | length }}'],
])('a template that %s is refused', async (problem, template) => {
  await expect(changed('llama', 'chat_template.jinja', () => template)).rejects.toMatchObject({
    code: 'MODEL_FILE',
    field: 'chat_template',
    message: expect.stringContaining(problem),
  })
})

test('a pattern that backtracks without end is stopped', async () => {
  const tokenizer = await changed('qwen', 'tokenizer.json', (json: Json) => {
    Object.assign(json.pre_tokenizer.pretokenizers[0] as object, { pattern: { Regex: '^(a+)+$' } })
    return json
  })
  expect(() => tokenizer.encode(`${'a'.repeat(60)}b`)).toThrow(
    expect.objectContaining({ code: 'MODEL_FILE', field: 'pre_tokenizer' }),
  )
})

test('a model without a chat template, an unknown end token, and a missing file are named', async () => {
  const bare = await changed('qwen', 'tokenizer_config.json', () => ({ eos_token: '<|im_end|>' }))
  expect(() => bare.chatPrompt([user('x')])).toThrow(expect.objectContaining({ field: 'chat_template' }))
  await expect(changed('qwen', 'tokenizer_config.json', () => ({ eos_token: 'no' }))).rejects.toMatchObject({
    field: 'eos_token',
  })
  await expect(changed('qwen', 'tokenizer_config.json', () => ({}))).rejects.toMatchObject({ field: 'eos_token' })
  await expect(PretrainedTokenizer.read(join(scratch, 'none'))).rejects.toMatchObject({ field: 'file' })
})

test.each(['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja'])(
  'a %s that is a device or a pipe is refused unread',
  async name => {
    const folder = join(scratch, String(copies++))
    await cp(join(golden, 'qwen'), folder, { recursive: true })
    await rm(join(folder, name), { force: true })
    await symlink('/dev/null', join(folder, name))
    const refused = { field: 'file', message: expect.stringContaining('not a regular file') }
    await expect(PretrainedTokenizer.read(folder)).rejects.toMatchObject(refused)
  },
)
