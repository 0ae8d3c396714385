import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { tinyFamilies, tinyWeights } from '../decoder/tinyDecoder.ts'
import { PretrainedTokenizer } from '../tokenizers/pretrainedTokenizer.ts'
import { importGguf } from './importGguf.ts'
import { encodeGguf, flag, type TestGguf, testGguf, whole } from './testGguf.ts'

const root = mkdtempSync(join(tmpdir(), 'waggle-gguf-tokenizer-'))
afterAll(() => rmSync(root, { recursive: true }))

let made = 0

/** @returns the folder. */
async function imported(file: TestGguf): Promise<string> {
  const folder = join(root, `${made++}`)
  writeFileSync(`${folder}.gguf`, encodeGguf(file))
  await importGguf(`${folder}.gguf`, folder)
  return folder
}

/** Its width fits the tokenizers' tokens. */
const qwen: DecoderConfig = {
  ...(tinyFamilies.Qwen2 as DecoderConfig),
  vocabSize: 448,
  hiddenSize: 32,
  rmsNormEps: 2 ** -20,
}

test.each([
  ['qwen', 'qwen2', ['<|endoftext|>']],
  ['llama', 'llama-bpe', []],
  ['deepseek', 'deepseek-coder', []],
])('the tokenizer of %s encodes texts and conversations as the one it was made from', async (name, pre, ends) => {
  const folder = await imported(testGguf(qwen, tinyWeights(qwen), name, pre))
  const tokenizer = await PretrainedTokenizer.read(folder)
  const golden = JSON.parse(readFileSync(join(import.meta.dirname, `../golden/tokenizers/${name}/golden.json`), 'utf8'))
  for (const { text: said, ids } of golden.texts) expect([...tokenizer.encode(said)], said).toEqual(ids)
  for (const { messages, ids } of golden.chats) expect([...tokenizer.chatPrompt(messages)]).toEqual(ids)
  const original = await PretrainedTokenizer.read(join(import.meta.dirname, `../golden/tokenizers/${name}`))
  expect(tokenizer.endTokens).toEqual([...original.endTokens, ...ends.map(text => original.special(text))])
})

test('the control tokens that llama.cpp ends completions with end them: EOS first, then by their ids', async () => {
  const file = testGguf(qwen, tinyWeights(qwen), 'qwen', 'qwen2')
  const [tokens, kinds] = ['tokens', 'token_type'].map(key => file.metadata[`tokenizer.ggml.${key}`]?.value) as [
    string[],
    number[],
  ]
  const first = kinds.indexOf(5)
  tokens.splice(first, 3, '<|eom_id|>', '<|end_of_text|>', '<|eot_id|>')
  kinds.splice(first, 2, 3, 3) // the third is none of a control token
  const eom = tokens.findIndex(text => /^[a-z]{2,}$/.test(text)) // a special token has two characters or more
  file.metadata['tokenizer.ggml.eom_token_id'] = whole(eom)
  const folder = await imported(file)
  const { endTokens } = await PretrainedTokenizer.read(folder)
  const idOf = (text: string) => tokens.indexOf(text)
  expect(endTokens).toEqual([idOf('<|im_end|>'), eom, idOf('<|endoftext|>'), first, first + 1])
  expect(JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')).eos_token_id).toEqual(endTokens)
})

test('padding and unknown tokens outside of the vocabulary are none, as in llama.cpp', async () => {
  const file = testGguf(qwen, tinyWeights(qwen), 'qwen', 'qwen2')
  for (const role of ['padding', 'unknown', 'eom'])
    file.metadata[`tokenizer.ggml.${role}_token_id`] = whole(2 ** 32 - 1)
  const folder = await imported(file)
  const config = JSON.parse(readFileSync(join(folder, 'tokenizer_config.json'), 'utf8'))
  expect(config).not.toHaveProperty('pad_token')
  expect(config).not.toHaveProperty('unk_token')
})

test.each([
  ['llama', 'llama-bpe', undefined, ['<|begin_of_text|>']],
  ['llama', 'llama-bpe', false, []],
  ['deepseek', 'deepseek-coder', undefined, []],
  ['deepseek', 'deepseek-coder', true, ['<｜begin▁of▁sentence｜>']],
])('a text begins as llama.cpp begins it: %s, %s, add_bos_token %s', async (name, pre, says, begins) => {
  const file = testGguf(qwen, tinyWeights(qwen), name, pre)
  if (says !== undefined) file.metadata['tokenizer.ggml.add_bos_token'] = flag(says)
  const folder = await imported(file)
  const tokenizer = await PretrainedTokenizer.read(folder)
  expect(tokenizer.prefix).toEqual(begins.map(token => tokenizer.special(token)))
  const { post_processor } = JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8'))
  // A default of llama.cpp leaves the hash of the tokenizer as it is.
  expect(post_processor === null).toBe(says !== true)
})

test('control tokens come first in the vocabulary, where Hugging Face’s library takes their ids from', async () => {
  const file = testGguf(qwen, tinyWeights(qwen), 'qwen', 'qwen2')
  const lists = ['tokens', 'token_type'].map(key => file.metadata[`tokenizer.ggml.${key}`] as { value: unknown[] })
  const first = lists[1]?.value.indexOf(3) ?? 0
  for (const list of lists) list.value = [...list.value.slice(first, first + 2), ...list.value.toSpliced(first, 2)]
  const folder = await imported(file)
  const { model, added_tokens } = JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8'))
  const places = added_tokens.map(({ content, id }: { content: string; id: number }) => [id, model.vocab[content]])
  expect(places.slice(0, 4)).toEqual([
    [0, 0],
    [1, 1],
    [first + 2, undefined],
    [first + 3, undefined],
  ])
  // The library gives the first of the others the id after the last of the vocabulary.
  expect(Object.keys(model.vocab)).toHaveLength(first + 2)
})
