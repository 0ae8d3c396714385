import { join } from 'node:path'
import { generate, loadGenerator, loadModel, loadScorer, logits, score, trainStep } from '@waggle/node/model'
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

test.each(['float32', 'int8'] as const)(
  'a model generates and scores under the adapter that it trains, over a %s base',
  async precision => {
    const lora = { rank: 4, alpha: 8, targets: ['q_proj', 'up_proj'], rankStabilized: false }
    const model = await loadModel(folder, { training: { adapter: lora, precision } })
    const before = model.weights.get('model.layers.0.self_attn.q_proj.weight')?.data.slice()
    const request = { prompts, samplesPerPrompt: 4, maxNewTokens: 12 }
    const first = await generate(model, request)
    const groups = prompts.map((prompt, i) => ({
      prompt,
      completions: first.slice(4 * i, 4 * i + 4).map((made, k) => ({ ...made, reward: k % 2 })),
    }))
    const learningRate = { kind: 'linear', peak: 0.1, totalSteps: 4 } as const
    const rates: (number | undefined)[] = []
    for (let i = 0; i < 3; i++) rates.push((await trainStep(model, groups, { learningRate })).step?.learningRate)
    expect(rates).toEqual([0.1, expect.closeTo(0.075, 9), expect.closeTo(0.05, 9)])
    const learned = await generate(model, request)
    expect(learned.map(({ tokens }) => [...tokens])).not.toEqual(first.map(({ tokens }) => [...tokens]))
    const [after] = learned
    expect(model.weights.get('model.layers.0.self_attn.q_proj.weight')?.data).toEqual(before)
    const tokens = Int32Array.of(...(prompts[0] as Int32Array), ...(after?.tokens ?? []))
    const [scores] = await score(model, [{ tokens, from: 3 }])
    expect(scores?.logprobs[0]).toBeCloseTo(after?.logprobs[0] as number, precision === 'int8' ? 1 : 4)
    await model.dispose()
  },
)

test('what was disposed of is refused, and no session is opened for it again', async () => {
  const model = await loadModel(folder)
  const request = { prompts, maxNewTokens: 2 }
  await generate(model, request)
  const [running, ended] = [generate(model, request), model.dispose()]
  expect(await running).toHaveLength(2)
  await Promise.all([ended, model.dispose()])
  const gone = /^the model was disposed of$/
  await expect(generate(model, request)).rejects.toThrow(gone)
  await expect(score(model, [{ tokens: Int32Array.of(1, 2), from: 1 }])).rejects.toThrow(gone)
  await expect(trainStep(model, [], { learningRate: 1e-3 })).rejects.toThrow(gone)

  const [generator, scorer] = [await loadGenerator(folder), await loadScorer(folder)]
  await Promise.all([generator.dispose(), scorer.dispose()])
  await Promise.all([generator.dispose(), scorer.dispose()])
  const more = { ...request, samplesPerPrompt: 1, temperature: 1, stopToken: -1, seed: '0' }
  await expect(generator.generate(more)).rejects.toThrow(gone)
  await expect(scorer.score([{ tokens: Int32Array.of(1, 2), from: 1 }])).rejects.toThrow(gone)
})

test.each([{ rank: 0 }, { rank: 1.5 }, { rank: 1e9 }, { alpha: 0 }, { alpha: Number.NaN }, { targets: [] }])(
  'an adapter that cannot be is refused: %o',
  async wrong => {
    const adapter = { rank: 2, alpha: 4, targets: ['q_proj'], rankStabilized: false, ...wrong }
    await expect(loadModel(folder, { training: { adapter } })).rejects.toThrow(/^an adapter of rank /)
  },
)
