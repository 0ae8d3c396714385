import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Worker } from 'node:worker_threads'
import { afterAll, expect, test } from 'vitest'
import { byteToChar } from './byteAlphabet.ts'
import { PretrainedTokenizer } from './pretrainedTokenizer.ts'
import { openTokenizer, startWorker } from './tokenizerClient.ts'

const qwen = join(import.meta.dirname, '../golden', 'tokenizers', 'qwen')
const scratch = await mkdtemp(join(tmpdir(), 'waggle-tokenizer-'))
afterAll(() => rm(scratch, { recursive: true }))
const messages = [{ role: 'user', content: 'Write f(xs).' }] as const

/** The limit that a node sets itself for what its event loop may be kept by. */
const LONGEST_TURN_MS = 20

test('it answers as the tokenizer that it owns', async () => {
  const own = await PretrainedTokenizer.read(qwen)
  const tokenizer = await openTokenizer(qwen)
  const text = 'def f(xs):\n    return sum(xs)  # <|im_end|> é \ud83d'
  expect(tokenizer).toMatchObject({ hash: own.hash, endTokens: own.endTokens, vocabSize: own.vocabSize })
  const ids = await tokenizer.encode(text)
  expect(ids).toEqual(own.encode(text))
  expect(await tokenizer.chatPrompt(messages)).toEqual(own.chatPrompt(messages))
  const ended = Int32Array.of(...ids, ...own.endTokens)
  expect(await tokenizer.decode(ended, 'keep')).toBe(own.decode(ended, 'keep'))
  expect(await tokenizer.decode(ended)).toBe(own.decode(ended))
  await tokenizer.close()
  await expect(tokenizer.encode('x')).rejects.toMatchObject({ code: 'TOKENIZER_CLOSED' })
})

test('a folder without a tokenizer is refused as if it were read here', async () => {
  await expect(openTokenizer(join(scratch, 'none'))).rejects.toMatchObject({
    code: 'MODEL_FILE',
    message: expect.stringMatching(/tokenizer\.json: file: is missing/),
    hint: expect.stringContaining('save_pretrained'),
  })
})

test('a thread that dies is named, started again for the next question, and must find the same tokenizer', async () => {
  const folder = join(scratch, 'changing')
  await cp(qwen, folder, { recursive: true })
  const started: Worker[] = []
  const tokenizer = await openTokenizer(folder, source => {
    const worker = startWorker(source)
    started.push(worker)
    return worker
  })
  const before = await tokenizer.encode('abc')
  const asked = tokenizer.encode('abc')
  await started[0]?.terminate()
  await expect(asked).rejects.toMatchObject({ code: 'TOKENIZER_ENDED', retryable: true })
  expect(await tokenizer.encode('abc')).toEqual(before)
  await writeFile(join(folder, 'generation_config.json'), '{ "eos_token_id": 1 }')
  await started[1]?.terminate()
  await expect(tokenizer.encode('abc')).rejects.toMatchObject({ message: expect.stringMatching(/was changed/) })
  await tokenizer.close()
})

/** A tokenizer of 150,000 tokens: every pair of bytes, and triples. */
async function writeLarge(folder: string): Promise<void> {
  await cp(qwen, folder, { recursive: true })
  const { added_tokens, ...rest } = JSON.parse(await readFile(join(folder, 'tokenizer.json'), 'utf8'))
  const tokens = [...byteToChar]
  const merges: [string, string][] = []
  for (let at = 0; tokens.length < 150_000; at++) {
    const [left, right] = [tokens[Math.floor(at / 256)] as string, byteToChar[at % 256] as string]
    merges.push([left, right])
    tokens.push(left + right)
  }
  const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]))
  const added = (added_tokens as { id: number }[]).map((token, i) => ({ ...token, id: tokens.length + i }))
  const json = { ...rest, added_tokens: added, model: { ...rest.model, vocab, merges } }
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(json))
}

/**
 * The longest that one turn of the event loop computed while `work` ran, ms: processor time of this thread, so that what else
 * the machine does is not in it.
 */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let [isDone, longest] = [false, 0]
  const done = work().finally(() => {
    isDone = true
  })
  let before = process.threadCpuUsage()
  while (!isDone) {
    await new Promise(resolve => setImmediate(resolve))
    const now = process.threadCpuUsage()
    longest = Math.max(longest, (now.user + now.system - before.user - before.system) / 1000)
    before = now
  }
  await done
  return longest
}

test('reading and using 150,000 tokens keeps the event loop for no more than a node allows itself', async () => {
  const folder = join(scratch, 'large')
  await writeLarge(folder)
  const text = 'for x in xs: total += x * 2\n'.repeat(400)
  // Garbage from writing the tokenizer does not count as memory of using it.
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const turn = await longestTurn(async () => {
    const tokenizer = await openTokenizer(folder)
    const ids = await tokenizer.encode(text)
    expect(await tokenizer.decode(ids)).toBe(text)
    await tokenizer.chatPrompt([{ role: 'user', content: text }])
    await tokenizer.close()
  })
  // The same in this thread. A machine that is slow, or busy with others, is so for both.
  const here = await longestTurn(() => PretrainedTokenizer.read(folder))
  expect(here).toBeGreaterThan(5 * LONGEST_TURN_MS)
  expect(turn).toBeLessThan(Math.max(LONGEST_TURN_MS, here / 5))
})
