import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DecoderConfig, formatDecoderConfig } from '../decoder/decoderConfig.ts'
import { decoderWeightShapes } from '../decoder/decoderWeights.ts'
import { referenceLogprobs } from '../decoder/referenceDecoder.ts'
import { tinyConfig, tinyWeights } from '../decoder/tinyDecoder.ts'
import { hashStoredWeights, type Weights } from '../decoder/weights.ts'
import { loadGenerator } from '../generation/loadGenerator.ts'
import { encodeSafetensorsHeader } from './safetensors.ts'

/** An embedding of 2.15 GB stands before the layers: it is longer than 2^31 bytes, and they lie behind them. */
const config: DecoderConfig = { ...tinyConfig, vocabSize: 52_480, hiddenSize: 10_240, headDim: 64 }
/** The rows that are not zero. The file is a hole elsewhere, and takes some megabytes. */
const rows = [0, 7, 20_000, 31_337, 52_478, 52_479]
const narrow: DecoderConfig = { ...config, vocabSize: rows.length + 1 }
const EMBEDDING = 'model.embed_tokens.weight'
const prompt = [7, 52_479, 31_337]

let folder: string
/** The same model with those rows and one of zeros alone. */
let weights: Weights

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waggle-large-'))
  weights = tinyWeights(narrow, 'large')
  const { hiddenSize } = config
  const embedding = weights.get(EMBEDDING)?.data as Float32Array
  for (const [i, value] of embedding.entries()) embedding[i] = i < rows.length * hiddenSize ? value / 10 : 0
  await writeFile(join(folder, 'config.json'), JSON.stringify(formatDecoderConfig(config)))
  const shapes = new Map([...decoderWeightShapes(config)].map(([name, shape]) => [name, { shape }]))
  const file = await open(join(folder, 'model.safetensors'), 'w')
  const header = Buffer.concat(encodeSafetensorsHeader(shapes, 'F32'))
  await file.write(header)
  let at = header.length
  for (const name of [...shapes.keys()].sort()) {
    const elements = (shapes.get(name)?.shape ?? []).reduce((product, length) => product * length, 1)
    const data = weights.get(name)?.data as Float32Array
    if (name === EMBEDDING)
      for (const [i, row] of rows.entries())
        await file.write(
          data.subarray(i * hiddenSize, (i + 1) * hiddenSize),
          0,
          4 * hiddenSize,
          at + 4 * row * hiddenSize,
        )
    else await file.write(data, 0, data.byteLength, at)
    at += 4 * elements
  }
  await file.close()
})
afterAll(() => rm(folder, { recursive: true }))

/** The likeliest token and its log-probability by the definition: all rows but a few have the logit 0. */
function expected(tokens: readonly number[]): { token: number; logprob: number } {
  const known = referenceLogprobs(
    narrow,
    weights,
    tokens.map(token => rows.indexOf(token)),
  )
  const logits = rows.map((_, i) => (known[i] as number) - (known[rows.length] as number))
  const total = logits.reduce((sum, logit) => sum + Math.exp(logit), config.vocabSize - rows.length)
  const most = Math.max(...logits)
  return { token: rows[logits.indexOf(most)] as number, logprob: most - Math.log(total) }
}

test.each([
  ['float32', 1e-3],
  ['int8', 0.3],
] as const)('a model beyond 2 GiB generates in %s as by the definition', async (precision, tolerance) => {
  const generator = await loadGenerator(folder, { precision, threads: 2 })
  const sampling = { samplesPerPrompt: 1, maxNewTokens: 4, temperature: 0, stopToken: -1, seed: '0' }
  const [completion] = await generator.generate({ prompts: [Int32Array.from(prompt)], ...sampling })
  await generator.dispose()
  const tokens = [...prompt]
  for (const [i, token] of [...(completion?.tokens ?? [])].entries()) {
    const due = expected(tokens)
    expect(token).toBe(due.token)
    expect(Math.abs((completion?.logprobs[i] as number) - due.logprob)).toBeLessThan(tolerance)
    tokens.push(token)
  }
  expect(tokens).toHaveLength(prompt.length + 4)
})

test('a model beyond 2 GiB has a hash', async () => {
  expect(await hashStoredWeights(folder, config)).toMatch(/^0x[0-9a-f]{64}$/)
})
