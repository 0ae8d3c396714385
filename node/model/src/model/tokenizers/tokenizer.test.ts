import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { ModelFileError, ModelInputError } from '../modelErrors.ts'
import { assignedText } from './assignedText.ts'
import { PretrainedTokenizer } from './pretrainedTokenizer.ts'
import { Tokenizer } from './tokenizer.ts'
import { formatTokenizerJson, parseTokenizerJson } from './tokenizerJson.ts'
import { trainTokenizer } from './trainTokenizer.ts'

const corpus = [
  'def total(xs):\n    return sum(x for x in xs if x > 3)\n',
  'Write total(xs). Return the sum of the numbers above 3.',
  'def count(xs):\n    return len([x for x in xs if x % 12 == 0])\n',
  'the total of the items that are multiples of 12',
]
const tokenizer = trainTokenizer(corpus, 290, ['<eos>', '<user>'])
/** Any code points but lone surrogates, which UTF-8 does not have. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }), fc.nat(127)))
  .map(points => String.fromCodePoint(...points))
const json = () => JSON.parse(formatTokenizerJson(tokenizer.vocabulary))
const folder = await mkdtemp(join(tmpdir(), 'waggle-tokenizer-'))
afterAll(() => rm(folder, { recursive: true }))

// Golden values: Hugging Face tokenizers 0.23.3, BpeTrainer on the same corpus.
test('merges are those that the Hugging Face trainer learns', () => {
  const merges = json().model.merges.map((pair: string[]) => pair.join(''))
  expect(merges.join(' ')).toBe(
    'Ġt Ġx Ġi he ĠĠ al et of ot rn um urn xs Ġof Ġthe Ġtot eturn Ġtotal ): de fo le return sum te ĊĠĠ Ġa Ġfo Ġreturn Ġsum Ġxs Ġif',
  )
})

test('token ids are those of the Hugging Face encoder', () => {
  expect([...tokenizer.encode('    return sum(x for x in xs if x > 1234)')]).toEqual([
    262, 222, 286, 287, 9, 89, 285, 83, 259, 260, 79, 288, 289, 259, 222, 31, 222, 18, 19, 20, 21, 10,
  ])
  expect([...tokenizer.encode("Wörld  42 of the 漢\u00a0\u0085 ²½ it's\n\n\tx")]).toEqual([
    56, 129, 116, 83, 77, 69, 262, 21, 19, 271, 272, 222, 164, 122, 97, 128, 256, 128, 229, 222, 128, 112, 128, 123,
    260, 85, 8, 84, 200, 200, 199, 89,
  ])
})

test('a character that later versions of Unicode assign has the tokens of U+FFFD', () => {
  for (const character of ['\u{11db0}', '\u{11dff}', '\ud800'])
    expect(tokenizer.encode(`the ${character}'s sum`)).toEqual(tokenizer.encode("the \ufffd's sum"))
})

test('a file is split in the same way by the class of published models', async () => {
  await tokenizer.write(join(folder, 'tokenizer.json'))
  await writeFile(join(folder, 'tokenizer_config.json'), JSON.stringify({ eos_token: '<eos>' }))
  const published = await PretrainedTokenizer.read(folder)
  const texts = [
    'x ² + 1',
    ' ½½ of',
    'n = ٣٤ ٥',
    '第１２章',
    '① Ⅳ Ⅷ',
    '\ufeffif',
    'x  \ufeff  y',
    'x  \u0085y',
    "it's 31 of\n\n\tx",
  ]
  for (const text of texts) expect([...published.encode(text)]).toEqual([...tokenizer.encode(text)])
})

test('every digit is its own token', () => {
  expect(tokenizer.encode('31415').length).toBe(5)
})

test('any text comes back, in characters that Unicode 16 assigns', () => {
  fc.assert(
    fc.property(anyText, text => {
      expect(tokenizer.decode(tokenizer.encode(text))).toBe(assignedText(text))
    }),
  )
})

test('a text never makes a special token', () => {
  expect([...tokenizer.encode('<eos>')]).not.toContain(tokenizer.special('<eos>'))
  expect([...trainTokenizer(['<eos>'.repeat(9)], 400, ['<eos>']).encode('<eos>')]).not.toContain(0)
})

test('special tokens are left out of the text unless asked for', () => {
  const ids = [tokenizer.special('<user>'), ...tokenizer.encode('sum'), tokenizer.special('<eos>')]
  expect(tokenizer.decode(ids)).toBe('sum')
  expect(tokenizer.decode(ids, 'keep')).toBe('<user>sum<eos>')
})

test('unknown ids and names are refused', () => {
  expect(() => tokenizer.decode([290])).toThrow(ModelInputError)
  expect(() => tokenizer.decode([-1])).toThrow(ModelInputError)
  expect(() => tokenizer.special('<no>')).toThrow(ModelInputError)
  expect(() => trainTokenizer([], 256, ['<eos>'])).toThrow(ModelInputError)
})

test('a written tokenizer is read back the same', async () => {
  const path = join(folder, 'tokenizer.json')
  await tokenizer.write(path)
  const again = await Tokenizer.read(path)
  expect(again.vocabulary).toEqual(tokenizer.vocabulary)
  expect(again.encode(corpus[0] as string)).toEqual(tokenizer.encode(corpus[0] as string))
})

test('merges written as one string, as older files have them, are read', () => {
  const old = json()
  old.model.merges = old.model.merges.map((pair: string[]) => pair.join(' '))
  expect(parseTokenizerJson(JSON.stringify(old), 'old').merges).toEqual(tokenizer.vocabulary.merges)
})

test.each([
  ['model.vocab.X', (j: ReturnType<typeof json>) => Object.assign(j.model.vocab, { X: 5 })],
  ['model.vocab.Q9', (j: ReturnType<typeof json>) => Object.assign(j.model.vocab, { Q9: 999999999 })],
  ['model.vocab', (j: ReturnType<typeof json>) => delete j.model.vocab['!']],
  ['model.merges.0', (j: ReturnType<typeof json>) => j.model.merges.unshift(['!', '?'])],
  ['normalizer', (j: ReturnType<typeof json>) => Object.assign(j, { normalizer: { type: 'NFC' } })],
  ['pre_tokenizer.type', (j: ReturnType<typeof json>) => Object.assign(j, { pre_tokenizer: { type: 'ByteLevel' } })],
  ['added_tokens.<eos>', (j: ReturnType<typeof json>) => Object.assign(j.added_tokens[0], { id: 7 })],
])('a damaged tokenizer.json names the field %s', (field, damage) => {
  const damaged = json()
  damage(damaged)
  expect(() => parseTokenizerJson(JSON.stringify(damaged), 'bad.json')).toThrow(
    expect.objectContaining({ file: 'bad.json', field }),
  )
})

test('a missing or torn file is a ModelFileError', async () => {
  await expect(Tokenizer.read(join(folder, 'none.json'))).rejects.toThrow(ModelFileError)
  await writeFile(join(folder, 'torn.json'), formatTokenizerJson(tokenizer.vocabulary).slice(0, 500))
  await expect(Tokenizer.read(join(folder, 'torn.json'))).rejects.toThrow(ModelFileError)
})
