import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createAdaptedGenerator } from './generation/adaptedGenerator.ts'
import { createGenerator } from './generation/generate.ts'
import { loadGenerator } from './generation/loadGenerator.ts'
import { readLora } from './lora/loraFiles.ts'
import { frozenParts } from './quantization/frozenParts.ts'
import { locateFrozenTensors } from './quantization/frozenTensors.ts'
import { readModel } from './readModel.ts'
import { positionLogits } from './scoring/positionLogits.ts'
import { createScorer } from './scoring/score.ts'

/** Outputs of transformers and PEFT for tiny random models, in float32: scripts/golden/decoderVectors.py makes them. */
interface Golden {
  logits: { tokens: number[]; logits: number[][] }[]
  long: { tokens: number[]; logits: number[] }
  greedy: Greedy
  penalized: { penalty: number; greedy: Greedy }
}

type Greedy = { prompt: number[]; tokens: number[]; logprobs: number[] }[]

interface Case {
  name: string
  folder: string
  adapter?: string
  golden: string
}

const decoders = join(import.meta.dirname, 'golden/decoders')
const models = ['qwen2', 'qwen2-untied', 'qwen3', 'qwen3-sharded', 'llama-linear', 'llama3-biases'].flatMap(name => {
  const folder = join(decoders, name)
  const adapter = join(folder, 'adapter')
  const plain: Case = { name, folder, golden: join(folder, 'golden.json') }
  const adapted: Case = { name: `${name} with an adapter`, folder, adapter, golden: join(adapter, 'golden.json') }
  return existsSync(adapter) ? [plain, adapted] : [plain]
})

const worst = (a: ArrayLike<number>, b: readonly number[]) => {
  expect(a.length).toBe(b.length)
  return b.reduce((most, x, i) => Math.max(most, Math.abs(x - (a[i] as number))), 0)
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const value of values) collected.push(value)
  return collected
}

describe.each(models)('$name', async ({ folder, adapter, golden: path }) => {
  const golden = JSON.parse(readFileSync(path, 'utf8')) as Golden
  const model = await readModel(folder, adapter ? { adapter } : {})

  test('has the logits of transformers within 1e-4 at every position', async () => {
    for (const { tokens, logits } of golden.logits) {
      const rows = await all(positionLogits(model, Int32Array.from(tokens)))
      expect(rows).toHaveLength(tokens.length)
      for (const [t, row] of rows.entries()) expect(worst(row, logits[t] ?? [])).toBeLessThan(1e-4)
    }
    const far = await all(positionLogits(model, Int32Array.from(golden.long.tokens), { threads: 2 }))
    expect(worst(far.at(-1) ?? [], golden.long.logits)).toBeLessThan(1e-4)
  })

  test('generates the same greedy tokens, with log-probabilities within 1e-4', async () => {
    const generator = createGenerator(model.config, model.weights)
    const completions = await generator.generate({
      prompts: golden.greedy.map(({ prompt }) => Int32Array.from(prompt)),
      samplesPerPrompt: 1,
      maxNewTokens: 24,
      temperature: 0,
      stopToken: model.stopTokens[0] ?? -1,
      seed: 'not used',
    })
    for (const [i, { tokens, logprobs }] of golden.greedy.entries()) {
      expect([...(completions[i]?.tokens ?? [])]).toEqual(tokens)
      expect(worst(completions[i]?.logprobs ?? [], logprobs)).toBeLessThan(1e-4)
    }
    await generator.dispose()
  })

  test('generates the same greedy tokens under a repetition penalty', async () => {
    const generator = createGenerator(model.config, model.weights)
    const { penalty, greedy } = golden.penalized
    const [stopToken = -1, ...moreStopTokens] = model.stopTokens
    const completions = await generator.generate({
      prompts: greedy.map(({ prompt }) => Int32Array.from(prompt)),
      samplesPerPrompt: 1,
      maxNewTokens: 24,
      temperature: 0,
      repetitionPenalty: penalty,
      stopToken,
      moreStopTokens,
      seed: 'not used',
    })
    for (const [i, { tokens, logprobs }] of greedy.entries()) {
      expect([...(completions[i]?.tokens ?? [])]).toEqual(tokens)
      expect(worst(completions[i]?.logprobs ?? [], logprobs)).toBeLessThan(1e-4)
    }
    await generator.dispose()
  })

  test('generates them with the weights where they lie, too', async () => {
    const { config } = model
    const adapted = async (path: string) =>
      createAdaptedGenerator(
        config,
        frozenParts(config, await locateFrozenTensors(folder, config)),
        await readLora(path, config),
      )
    const generator = adapter ? await adapted(adapter) : await loadGenerator(folder)
    const completions = await generator.generate({
      prompts: golden.greedy.map(({ prompt }) => Int32Array.from(prompt)),
      samplesPerPrompt: 1,
      maxNewTokens: 24,
      temperature: 0,
      stopToken: model.stopTokens[0] ?? -1,
      seed: 'not used',
    })
    for (const [i, { tokens, logprobs }] of golden.greedy.entries()) {
      expect([...(completions[i]?.tokens ?? [])]).toEqual(tokens)
      expect(worst(completions[i]?.logprobs ?? [], logprobs)).toBeLessThan(1e-4)
    }
    await generator.dispose()
  })

  test('scores those completions within 1e-4', async () => {
    const scorer = createScorer(model.config, model.weights)
    const sequences = golden.greedy.map(({ prompt, tokens }) => ({
      tokens: Int32Array.of(...prompt, ...tokens),
      from: prompt.length,
    }))
    const scores = await scorer.score(sequences)
    for (const [i, { logprobs }] of golden.greedy.entries()) {
      expect(worst(scores[i]?.logprobs ?? [], logprobs)).toBeLessThan(1e-4)
      expect(Math.max(...(scores[i]?.gaps ?? [1]))).toBeLessThan(1e-4)
    }
    await scorer.dispose()
  })
})
