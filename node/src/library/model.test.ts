import { join } from 'node:path'
import { generate, loadModel, logits, score, trainStep } from '@waggle/node/model'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../model/golden/decoders/llama-linear')
const prompts = [Int32Array.of(5, 17, 3), Int32Array.of(88)]

test('a model of a folder generates, scores, and generates otherwise once it has learned', async () => {
  const model = await loadModel(folder, { training: { optimizer: { kind: 'adamW' } } })
  const sampled = await generate(model, { prompts, samplesPerPrompt: 4, maxNewTokens: 12 })
  expect(sampled).toHaveLength(8)
  expect(sampled.every(({ tokens, ended }) => tokens.length <= 12 && ended === (tokens.at(-1) === 7))).toBe(true)

  const [first] = sampled
  const tokens = Int32Array.of(5, 17, 3, ...(first?.tokens ?? []))
  const [scores] = await score(model, [{ tokens, from: 3 }])
  expect(scores?.logprobs[0]).toBeCloseTo(first?.logprobs[0] as number, 4)
  const before = await lastLogits(tokens)

  // Fewer tokens above 48 are better.
  const reward = (completion: Int32Array) => completion.filter(token => token < 48).length / completion.length
  const groups = prompts.map((prompt, i) => ({
    prompt,
    completions: sampled.slice(4 * i, 4 * i + 4).map(made => ({ ...made, reward: reward(made.tokens) })),
  }))
  const { groupsUsed, step } = await trainStep(model, groups, { learningRate: 1e-2 })
  expect(groupsUsed).toBeGreaterThan(0)
  expect(step?.gradientNorm).toBeGreaterThan(0)
  expect(await lastLogits(tokens)).not.toEqual(before)
  const again = await generate(model, { prompts, samplesPerPrompt: 4, maxNewTokens: 12 })
  expect(again.map(made => [...made.tokens])).not.toEqual(sampled.map(made => [...made.tokens]))
  await model.dispose()

  async function lastLogits(of: Int32Array): Promise<number[]> {
    let last = new Float32Array(0)
    for await (const row of logits(model, of)) last = row.slice()
    return [...last]
  }
})
