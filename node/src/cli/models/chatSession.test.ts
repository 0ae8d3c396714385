import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { createGenerator, type Generator } from '#model/generation/generate.ts'
import { ModelFileError, ModelInputError } from '#model/modelErrors.ts'
import type { ChatMessage } from '#model/tokenizers/chatTemplate.ts'
import { PretrainedTokenizer } from '#model/tokenizers/pretrainedTokenizer.ts'
import { printable, TextStream } from '../textStream.ts'
import { ChatSession } from './chatSession.ts'

const tokenizer = await PretrainedTokenizer.read(
  join(import.meta.dirname, '../../../model/src/model/golden/tokenizers/qwen'),
)

/** A chat with a tiny random model, and the prompts that it was asked. */
function chat(
  maxPositions: number,
  maxNewTokens = 12,
  chatPrompt = (of: readonly ChatMessage[]) => tokenizer.chatPrompt(of),
) {
  const config = { ...tinyConfig, vocabSize: tokenizer.vocabSize, maxPositions }
  const generator = createGenerator(config, tinyWeights(config))
  const prompts: string[] = []
  const watched: typeof generator = {
    ...generator,
    generate: request => {
      prompts.push(tokenizer.decode(request.prompts[0] as Int32Array, 'keep'))
      return generator.generate(request)
    },
  }
  const settings = { system: 'Be brief.', maxNewTokens, temperature: 1, stopTokens: [-1], seed: 'any' }
  const decode = (ids: readonly number[]) => tokenizer.decode(ids)
  const asking = { chatPrompt, decode, thoughtsEnd: null as number | null } as PretrainedTokenizer
  return { prompts, session: new ChatSession({ config, generator: watched, tokenizer: asking }, settings) }
}

test('an answer streams as text, and the next one is to the whole conversation', async () => {
  const { prompts, session } = chat(512)
  let streamed = ''
  const first = await session.answer('What is <|im_end|>?', text => {
    streamed += text
  })
  expect(first).toMatchObject({ ended: false, forgotten: 0 })
  expect(first.tokens).toHaveLength(12)
  expect(streamed).toBe(first.text)
  await session.answer('Why?', () => {})
  const again = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'What is <|im_end|>?' },
    { role: 'assistant', content: first.text },
    { role: 'user', content: 'Why?' },
  ] as const
  expect(prompts[1]).toBe(tokenizer.decode(tokenizer.chatPrompt(again), 'keep'))
})

test.each([
  ['some thoughts', 'some thoughts</think>\n\nfour', 'four'],
  ['thoughts twice', 'a</think>b</think>four', 'four'],
  ['thoughts without an end', 'some thoughts', 'some thoughts'],
])('of an answer with %s, %j, later prompts have %j', async (_, answered, kept) => {
  const parts = answered.split('</think>').map(text => [...tokenizer.encode(text)])
  const tokens = parts.flatMap((part, i) => (i === 0 ? part : [tokenizer.thoughtsEnd as number, ...part]))
  const prompts: string[] = []
  const generator = {
    async generate({ prompts: [prompt], onToken }: Parameters<Generator['generate']>[0]) {
      prompts.push(tokenizer.decode(prompt as Int32Array, 'keep'))
      for (const token of tokens) onToken?.({ token } as Parameters<NonNullable<typeof onToken>>[0])
      return []
    },
  } as unknown as Generator
  const settings = { maxNewTokens: 99, temperature: 1, stopTokens: [-1], seed: 'any' }
  const session = new ChatSession({ config: { ...tinyConfig, maxPositions: 4096 }, generator, tokenizer }, settings)
  expect((await session.answer('2+2?', () => {})).text).toBe(answered)
  await session.answer('What is </think>?', () => {})
  expect(prompts[1]).toContain(`<|im_start|>assistant\n${kept}<|im_end|>`)
  expect(prompts[1]).toContain('What is </think>?')
})

test('a stopped answer stays in the conversation as far as it came', async () => {
  const { prompts, session } = chat(512, 200)
  const stop = new AbortController()
  let pieces = 0
  const answer = await session.answer('Tell me.', () => ++pieces === 20 && stop.abort(), stop.signal)
  expect(answer.ended).toBe(false)
  expect(answer.tokens).toHaveLength(20)
  await session.answer('More.', () => stop.abort(), AbortSignal.abort())
  expect(prompts[1]).toContain(tokenizer.decode(tokenizer.encode(answer.text)))
})

test('the oldest turns are forgotten where the positions end, and a message that is too long is not kept', async () => {
  const { prompts, session } = chat(220)
  let forgotten = 0
  for (const word of ['alpha', 'beta', 'gamma', 'omega'])
    forgotten += (await session.answer(`${word} `.repeat(9), () => {})).forgotten
  expect(forgotten).toBeGreaterThan(0)
  expect(prompts[0]).toContain('alpha')
  expect(prompts.at(-1)).not.toContain('alpha')
  expect(prompts.at(-1)).toContain('Be brief.')
  await expect(session.answer('x '.repeat(400), () => {})).rejects.toThrow(ModelInputError)
  await session.answer('end', () => {})
  expect(prompts.at(-1)).not.toContain('x x x')
})

test.each([
  ['has more tokens than the model has positions', 'x '.repeat(400)],
  ['is longer than a template may write', 'x'.repeat(1_100_000)],
])('a message that %s leaves the conversation as it was', async (_, message) => {
  const { prompts, session } = chat(220)
  await session.answer('My name is Zoe.', () => {})
  const refused = session.answer(message, () => {})
  await expect(refused).rejects.toThrow(ModelInputError)
  await expect(refused).rejects.toThrow(/^The text is too long: /)
  const { forgotten } = await session.answer('Who am I?', () => {})
  expect(forgotten).toBe(0)
  expect(prompts).toHaveLength(2)
  expect(prompts[1]).toContain('Zoe')
})

const failing = (limit: number) => (messages: readonly ChatMessage[]) => {
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0)
  if (characters > limit) throw new ModelFileError('template', 'chat_template', `made ${characters} characters`)
  return Int32Array.of(1, 2)
}

test('turns that are together too long for the template are forgotten', async () => {
  const { session } = chat(220, 12, failing(100_000))
  const answers = []
  for (let turn = 0; turn < 3; turn++) answers.push(await session.answer('x'.repeat(70_000), () => {}))
  expect(answers.map(({ forgotten }) => forgotten)).toEqual([0, 2, 2])
})

test('a template that fails on a short text is named', async () => {
  const { session } = chat(220, 12, failing(10))
  await expect(session.answer('Who are you?', () => {})).rejects.toThrow(ModelFileError)
})

test('a character of several tokens is emitted once, and invalid bytes as U+FFFD', () => {
  const stream = new TextStream(ids => tokenizer.decode(ids))
  const bytes = tokenizer.encode('🐝')
  expect(bytes.length).toBeGreaterThan(1)
  const parts = Array.from(bytes, token => stream.push(token))
  expect(parts.join('')).toBe('🐝')
  expect(parts.slice(0, -1).join('')).toBe('')
  const lone = bytes[0] as number
  expect(stream.push(lone) + stream.end()).toBe('\ufffd')
})

test('control characters do not reach a terminal', () => {
  expect(printable('a\u001b[2Jb\n\tc\u0007\u009b')).toBe('a\ufffd[2Jb\n\tc\ufffd\ufffd')
})
