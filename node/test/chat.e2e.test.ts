import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { loadGenerator } from '#model/generation/loadGenerator.ts'
import type { ChatMessage } from '#model/tokenizers/chatTemplate.ts'
import { PretrainedTokenizer } from '#model/tokenizers/pretrainedTokenizer.ts'
import { writeChatModel } from './chatModelFolder.ts'
import { startInTerminal } from './terminal.ts'

const root = mkdtempSync(join(tmpdir(), 'waggle-chat-'))
const [model, short] = [join(root, 'model'), join(root, 'short')]
const [CTRL_C, CTRL_D] = ['\u0003', '\u0004']
/** Positions of a model whose conversations are soon too long. */
const POSITIONS = 192

beforeAll(async () => {
  await writeChatModel(model, 'chat')
  await writeChatModel(short, 'chat')
  const config = JSON.parse(readFileSync(join(short, 'config.json'), 'utf8'))
  writeFileSync(join(short, 'config.json'), JSON.stringify({ ...config, max_position_embeddings: POSITIONS }))
})

async function chat(folder: string, ...flags: string[]) {
  const argv = ['chat', '--model', folder, '--greedy', '--threads', '1', '--system', 'Be brief.', ...flags]
  const terminal = startInTerminal(argv)
  await terminal.shows(/ready after .*\n> /)
  return terminal
}

type Answer = { text: string; tokens: number[]; ended: boolean }
async function ask({ type, shows }: Awaited<ReturnType<typeof chat>>, question: string): Promise<Answer> {
  type(`${question}\n`)
  return JSON.parse(await shows(/\{"text":.*\}(?=\n)/))
}

test('in a terminal each answer is to the whole conversation, until the input ends', async () => {
  const terminal = await chat(model, '--json', '--max-new-tokens', '8')
  const first = await ask(terminal, 'Who are you?')
  const second = await ask(terminal, 'And now?')
  terminal.type(CTRL_D)
  expect(await terminal.exited).toBe(0)

  const tokenizer = await PretrainedTokenizer.read(model)
  const generator = await loadGenerator(model, { threads: 1 })
  const answerTo = async (...messages: ChatMessage[]) => {
    const prompt = tokenizer.chatPrompt([{ role: 'system', content: 'Be brief.' }, ...messages])
    const [stopToken = -1, ...moreStopTokens] = tokenizer.endTokens
    const sampling = { maxNewTokens: 8, temperature: 0, stopToken, moreStopTokens, seed: '0' }
    const [completion] = await generator.generate({ prompts: [prompt], samplesPerPrompt: 1, ...sampling })
    return [...(completion?.tokens ?? [])]
  }
  const [one, other] = [
    { role: 'user', content: 'Who are you?' },
    { role: 'user', content: 'And now?' },
  ] as const
  expect(first.tokens).toEqual(await answerTo(one))
  expect(second.tokens).toEqual(await answerTo(one, { role: 'assistant', content: first.text }, other))
  expect(second.tokens).not.toEqual(await answerTo(other))
  expect((await readDecoderConfig(model)).maxPositions).toBe(4096)
  await generator.dispose()
})

test('text comes while the model writes; Ctrl-C stops the answer, and between answers the chat', async () => {
  const terminal = await chat(model, '--max-new-tokens', '3000')
  for (const question of ['Tell me all.', 'More.']) {
    terminal.type(`${question}\n`)
    await terminal.shows(new RegExp(`${question}\\n[^]{20}`))
    terminal.type(CTRL_C)
    await terminal.shows(/\n> /)
  }
  terminal.type(CTRL_C)
  expect(await terminal.exited).toBe(0)
  // The size of 3,000 tokens of at least one byte each.
  expect(terminal.shown().length).toBeLessThan(3000)
})

test('Ctrl-C while the model is loaded ends the chat before it asks anything', async () => {
  const terminal = startInTerminal(['chat', '--model', model, '--threads', '1'])
  await terminal.shows(/loading /)
  terminal.type(CTRL_C)
  expect(await terminal.exited).toBe(130)
  expect(terminal.shown()).toContain('[STOPPED]')
  expect(terminal.shown()).not.toMatch(/^> /m)
})

test('if the model has no positions left, the oldest messages are dropped, and one that is too long is refused', async () => {
  const terminal = await chat(short, '--json', '--max-new-tokens', '16')
  await ask(terminal, 'alpha '.repeat(9))
  await ask(terminal, 'beta '.repeat(9))
  await terminal.shows(/The \d oldest messages no longer fit and were dropped\./)
  terminal.type(`${'x '.repeat(POSITIONS)}\n`)
  await terminal.shows(new RegExp(`${POSITIONS}[^]*\n> `))
  expect((await ask(terminal, 'end')).tokens.length).toBeGreaterThan(0)
  terminal.type(CTRL_D)
  expect(await terminal.exited).toBe(0)
})
