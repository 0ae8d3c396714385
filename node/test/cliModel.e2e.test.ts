import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate, loadModel } from '@waggle/model'
import { afterAll, describe, expect, test } from 'vitest'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { createGenerator } from '#model/generation/generate.ts'
import { encodeGguf, testGguf } from '#model/gguf/testGguf.ts'
import { PretrainedTokenizer } from '#model/tokenizers/pretrainedTokenizer.ts'
import { type CliResult, runCli, startCli } from './cliProcess.ts'
import { refusedCall } from './refusedCall.ts'

const decoders = join(import.meta.dirname, '../model/src/model/golden/decoders')
const folderOf = (name: string) => join(decoders, name)
const goldenOf = (...path: string[]) => JSON.parse(readFileSync(join(decoders, ...path, 'golden.json'), 'utf8'))
const lastLine = ({ stdout }: CliResult) => JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
const worst = (a: number[], b: number[]) => Math.max(...a.map((x, i) => Math.abs(x - (b[i] as number))))

const root = mkdtempSync(join(tmpdir(), 'waggle-cli-model-'))
afterAll(() => rmSync(root, { recursive: true }))

describe('a folder of transformers’ is run as transformers runs it', () => {
  test('logits of every position, of weights in many files', async () => {
    const { tokens, logits } = goldenOf('qwen3-sharded').logits[2]
    const argv = ['model', 'logits', '--model', folderOf('qwen3-sharded'), '--tokens', tokens.join(), '--json']
    const result = await runCli(argv)
    expect(result).toMatchObject({ code: 0, stderr: '' })
    const given = lastLine(result)
    expect(Object.keys(given)).toEqual(['logits'])
    expect(given.logits).toHaveLength(tokens.length)
    for (const [t, row] of given.logits.entries()) {
      expect(row).toHaveLength(96)
      expect(worst(row, logits[t])).toBeLessThan(1e-4)
    }
  })

  test('a reader that has seen enough ends it without a word', async () => {
    const tokens = Array.from({ length: 400 }, (_, i) => i % 96).join()
    const cli = startCli(['model', 'logits', '--model', folderOf('qwen2'), '--tokens', tokens, '--json'])
    cli.stopReading()
    expect(await cli.exited).toMatchObject({ code: 0, stderr: '' })
  })

  test('greedy tokens and their log-probabilities, up to the end token, with an adapter', async () => {
    const { prompt, tokens, logprobs } = goldenOf('llama-linear', 'adapter').greedy[2]
    expect(tokens.at(-1)).toBe(7)
    const flags = [
      '--adapter',
      join(folderOf('llama-linear'), 'adapter'),
      '--greedy',
      '--max-new-tokens',
      '24',
      '--json',
    ]
    const argv = ['model', 'generate', '--model', folderOf('llama-linear'), '--tokens', prompt.join(), ...flags]
    const result = await runCli(argv)
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(lastLine(result)).toEqual({ tokens, logprobs: expect.any(Array) })
    expect(worst(lastLine(result).logprobs, logprobs)).toBeLessThan(1e-4)
  })

  test('the folder’s own end tokens, all of them, and its repetition penalty', async () => {
    const { prompt, tokens } = goldenOf('qwen2').penalized.greedy[1]
    const folder = damaged('generation', made =>
      writeFileSync(
        join(made, 'generation_config.json'),
        JSON.stringify({ repetition_penalty: 1.3, eos_token_id: [tokens[9], tokens[4]] }),
      ),
    )
    const argv = ['model', 'generate', '--model', folder, '--tokens', prompt.join(), '--greedy', '--json']
    const firstEnd = tokens.findIndex((token: number) => token === tokens[9] || token === tokens[4])
    expect(lastLine(await runCli(argv)).tokens).toEqual(tokens.slice(0, firstEnd + 1))
  })

  test('measures the distance of 8-bit and 4-bit from float32, on given tokens and on sampled ones', async () => {
    const argv = ['model', 'compare', '--model', folderOf('qwen2'), '--cache', join(root, 'copies'), '--json']
    const first = await runCli([...argv, '--tokens', '5,17,3,9', '--tokens', '1,2', '--precision', 'int8'])
    expect(first.stderr).toMatch(/^quantised copy: 0 %\n(quantised copy: \d0 %\n)*quantised copy: 100 %\n$/)
    const given = lastLine(first)
    expect(given).toEqual({ positions: 4, errors: [expect.objectContaining({ precision: 'int8' })] })
    const sampled = lastLine(await runCli([...argv, '--sequences', '3', '--length', '20']))
    expect(sampled.positions).toBe(57)
    const [int8, int4] = sampled.errors
    expect(int4).toMatchObject({ precision: 'int4' })
    for (const { meanLogprobError, maxLogprobError, meanKl, greedyAgreement } of [int8, int4]) {
      expect(meanLogprobError).toBeGreaterThan(0)
      expect(maxLogprobError).toBeGreaterThan(meanLogprobError)
      expect(meanKl).toBeGreaterThan(0)
      expect(greedyAgreement).toBeLessThanOrEqual(1)
    }
    expect(int8.meanKl).toBeLessThan(int4.meanKl)
  })

  test('samples as the library does: temperature, top-k, top-p, min-p and a penalty', async () => {
    const model = await loadModel(folderOf('qwen2'))
    const sampling = { temperature: 1.7, topK: 20, topP: 0.9, minP: 0.01, repetitionPenalty: 1.2 }
    const request = { prompts: [Int32Array.of(5, 17)], maxNewTokens: 12, seed: 'any' }
    const [expected] = await generate(model, { ...request, ...sampling })
    await model.dispose()
    const options = ['--temperature', '1.7', '--top-k', '20', '--top-p', '.9', '--min-p', '1e-2']
    const flags = ['--repetition-penalty', '1.2', '--seed', 'any', '--max-new-tokens', '12', '--json']
    const argv = ['model', 'generate', '--model', folderOf('qwen2'), '--tokens', '5,17', ...options, ...flags]
    const { tokens, logprobs } = lastLine(await runCli(argv))
    expect(tokens).toEqual([...(expected?.tokens ?? [])])
    expect(worst(logprobs, [...(expected?.logprobs ?? [])])).toBeLessThan(1e-4)
  })

  test('in text, one line for each position and each token', async () => {
    const flags = ['--model', folderOf('qwen2'), '--tokens', '5,17']
    const full = damaged('full', made => changeConfig(made, { max_position_embeddings: 2 }))
    const logits = await runCli(['model', 'logits', '--model', full, '--tokens', '5,17'])
    expect(logits.stdout).toMatch(/^0 5 -> (\d+ 0\.\d{4}(, )?){5}\n1 17 -> (\d+ 0\.\d{4}(, )?){5}\n$/)
    const generated = await runCli(['model', 'generate', ...flags, '--max-new-tokens', '3', '--seed', 'any'])
    expect(generated.stdout).toMatch(/^(\d+ [01]\.\d{4}\n){3}$/)
  })
})

test('a GGUF file is imported once, and answers and continues in text', async () => {
  const config = { ...tinyConfig, vocabSize: 448, hiddenSize: 32, maxPositions: 256 }
  const weights = tinyWeights(config)
  const file = join(root, 'tiny.gguf')
  writeFileSync(file, encodeGguf(testGguf(config, weights, 'llama', 'llama-bpe')))
  const flags = ['--model', file, '--models', join(root, 'models'), '--greedy', '--max-new-tokens', '6', '--json']
  const chatted = await runCli(['chat', ...flags, '--prompt', 'Who are you?'])
  expect(chatted.stderr).toMatch(/^import of .*tiny\.gguf: \d+ %\n(.*\n)*.*: 100 %\nloading .*\nready after .* s\n$/)
  const tokenizer = await PretrainedTokenizer.read(folderOf('../tokenizers/llama'))
  const greedy = async (prompt: Int32Array) => {
    const request = { prompts: [prompt], samplesPerPrompt: 1, maxNewTokens: 6, temperature: 0, stopToken: 2, seed: '0' }
    const generator = createGenerator(config, weights)
    const [completion] = await generator.generate(request)
    await generator.dispose()
    return [...(completion?.tokens ?? [])]
  }
  const answer = await greedy(tokenizer.chatPrompt([{ role: 'user', content: 'Who are you?' }]))
  expect(lastLine(chatted)).toEqual({ text: tokenizer.decode(answer), tokens: answer, ended: false })
  const continued = await runCli(['model', 'generate', ...flags, '--prompt', '<|eot_id|>'])
  expect(continued.stderr).toBe('')
  const tokens = await greedy(Int32Array.of(tokenizer.special('<|begin_of_text|>'), ...tokenizer.encode('<|eot_id|>')))
  expect(lastLine(continued)).toEqual({ text: tokenizer.decode(tokens), tokens, logprobs: expect.any(Array) })
})

/** A copy of a good model, to be damaged. */
function damaged(name: string, change: (folder: string) => void): string {
  const folder = join(root, name)
  cpSync(folderOf('qwen2'), folder, { recursive: true })
  change(folder)
  return folder
}

function changeConfig(folder: string, fields: object): void {
  const path = join(folder, 'config.json')
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...fields }))
}

/** Replaces every weight. */
function fillWeights(folder: string, value: number): void {
  const path = join(folder, 'model.safetensors')
  const bytes = readFileSync(path)
  for (let at = 8 + Number(bytes.readBigUInt64LE()); at < bytes.length; at += 4) bytes.writeFloatLE(value, at)
  writeFileSync(path, bytes)
}

describe('an impossible command ends in one line', () => {
  const refused: [name: string, change: (folder: string) => void, says: RegExp][] = [
    [
      'no-folder',
      folder => rmSync(folder, { recursive: true }),
      /config\.json: file: is missing\. Check the folder: .*\[MODEL_FILE\]$/,
    ],
    [
      'architecture',
      folder => changeConfig(folder, { model_type: 'mamba' }),
      /config\.json: model_type: must be qwen2, qwen3 or llama.*\[MODEL_FILE\]$/,
    ],
    [
      'absurd',
      folder => changeConfig(folder, { vocab_size: 1_000_000, hidden_size: 16_384, num_hidden_layers: 256 }),
      /model\.safetensors: model\.embed_tokens\.weight: has shape \[96,32\], not \[1000000,16384\]/,
    ],
    [
      'cut',
      folder => truncateSync(join(folder, 'model.safetensors'), 20_000),
      /model\.safetensors: data: has \d+ bytes where the header says/,
    ],
    [
      'stop',
      folder => writeFileSync(join(folder, 'generation_config.json'), '{"eos_token_id": "</s>"}'),
      /generation_config\.json: eos_token_id: must be a token id or a list of some/,
    ],
    [
      'overflow',
      folder => fillWeights(folder, 3e38),
      /^the model computes numbers that are not finite\. .*\[MODEL_INPUT\]$/,
    ],
  ]

  test.each(refused)('a folder: %s', async (name, change, says) => {
    const result = await runCli(['model', 'logits', '--model', damaged(name, change), '--tokens', '1', '--json'])
    expect(result.stderr.trimEnd()).toMatch(says)
    expect(result.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(result).toMatchObject({ code: 1, stdout: '' })
  })

  const misused: [argv: string[], says: RegExp][] = [
    [
      ['model', 'compare', '--model', folderOf('qwen2'), '--adapter', 'any'],
      /^model compare does not take --adapter\./,
    ],
    [
      ['model', 'logits', '--model', folderOf('qwen2'), '--tokens', '1', '--precision', 'int8'],
      /^model logits is in float32\./,
    ],
    [
      ['model', 'generate', '--model', folderOf('qwen2'), '--tokens', '1', '--greedy', '--top-p', '0.5'],
      /^--greedy and --top-p cannot be combined\./,
    ],
    [
      ['model', 'generate', '--model', folderOf('qwen2'), '--tokens', '1', '--min-p', 'x'],
      /^--min-p is not a number\./,
    ],
    [
      ['model', 'generate', '--model', folderOf('qwen2'), '--tokens', '1', '--device', 'gpu'],
      /^--device must be cpu, webgpu, cuda or auto, not 'gpu'\./,
    ],
    [['model', 'import', '--out', 'any'], /^model import needs a file\. Call model import FILE\.gguf --out DIR\./],
    [['model', 'logits', '--tokens', '1'], /^--model is required\./],
    [
      ['model', 'logits', '--model', folderOf('qwen2')],
      /^model logits needs --tokens, once\. Give token ids separated by commas/,
    ],
    [
      ['model', 'logits', '--model', folderOf('qwen2'), '--tokens', '1,x'],
      /^--tokens is not token ids separated by commas, such as 1,2,3\./,
    ],
    [
      ['model', 'logits', '--model', folderOf('qwen2'), '--tokens', '96'],
      /^--tokens: 96 is not in the vocabulary of 96\./,
    ],
  ]

  test.each(misused)('%s', async (argv, says) => {
    expect(await refusedCall(argv)).toMatch(says)
  })

  test('an unknown action, of which nothing goes to stdout', async () => {
    const says = /^Unknown action 'train'\. Use one of logits, generate, compare, import\. \[USAGE\]\n$/
    const stderr = expect.stringMatching(says)
    expect(await runCli(['model', 'train'])).toMatchObject({ code: 64, stdout: '', stderr })
  })
})
