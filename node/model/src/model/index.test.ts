import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createGenerator,
  createScorer,
  formatDecoderConfig,
  initWeights,
  readDecoderConfig,
  readWeights,
  Tokenizer,
  trainTokenizer,
  writeWeights,
} from '@waggle/model'
import { expect, onTestFinished, test } from 'vitest'
import { tinyConfig } from './decoder/tinyDecoder.ts'

test('a model written to a folder is read, generates text and scores it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waggle-model-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const trained = trainTokenizer(['def f(x):\n    return x + 1\n'], 270, ['<eos>'])
  const made = { ...tinyConfig, vocabSize: trained.vocabSize }
  await trained.write(join(folder, 'tokenizer.json'))
  await writeFile(join(folder, 'config.json'), JSON.stringify(formatDecoderConfig(made)))
  await writeWeights(join(folder, 'model.safetensors'), initWeights(made, 'seed'), 'BF16')

  const config = await readDecoderConfig(folder)
  const weights = await readWeights(folder, config)
  const tokenizer = await Tokenizer.read(join(folder, 'tokenizer.json'))
  const generator = createGenerator(config, weights)
  const prompt = tokenizer.encode('def f(x)')
  const [completion] = await generator.generate({
    prompts: [prompt],
    samplesPerPrompt: 1,
    maxNewTokens: 8,
    temperature: 1,
    stopToken: tokenizer.special('<eos>'),
    seed: 'round 7',
  })
  const tokens = completion?.tokens ?? new Int32Array(0)
  expect(tokenizer.decode(tokens).length).toBeGreaterThan(0)
  const scorer = createScorer(config, weights)
  const [scores] = await scorer.score([{ tokens: Int32Array.of(...prompt, ...tokens), from: prompt.length }])
  expect(scores?.logprobs[0]).toBeCloseTo(completion?.logprobs[0] as number, 4)
  await generator.dispose()
  await scorer.dispose()
})
