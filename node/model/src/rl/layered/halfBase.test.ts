import { expect, test } from 'vitest'
import { initWeights } from '#model/decoder/initWeights.ts'
import { tinyConfig } from '#model/decoder/tinyDecoder.ts'
import { allLinear } from '#model/lora/loraConfig.ts'
import { initLora } from '#model/lora/loraFactors.ts'
import type { GradientSums } from '../passes/gradientPass.ts'
import { createLayeredPass } from './layeredPass.ts'
import { layerModels } from './layerModels.ts'

/** Qwen2.5's proportions: grouped queries, biases, a tied table. */
const config = {
  ...tinyConfig,
  ...{ vocabSize: 256, hiddenSize: 112, layers: 4, heads: 7, kvHeads: 1, headDim: 16, intermediateSize: 608 },
  maxPositions: 64,
}
const lora = { rank: 4, alpha: 8, targets: allLinear, rankStabilized: false }

test('over a base in float16 log-probabilities are off by less than 0.005 on average, and gradients by less than a hundredth, also those below what float16 holds', async () => {
  const weights = initWeights(config, 'half')
  // Logits as far apart as a trained model's.
  for (const [name, { data }] of weights)
    if (name.includes('embed')) for (const i of data.keys()) data[i] = (data[i] as number) * 14
  const adapter = initLora(config, lora, 'half')
  for (const [name, { data }] of adapter.factors)
    if (name.endsWith('lora_B.weight')) for (const i of data.keys()) data[i] = 0.01 * Math.sin(i * 1.7)
  const batchOf = (share: number) =>
    [24, 40, 33].map((length, i) => ({
      tokens: Int32Array.from({ length }, (_, t) => (t * 37 + i * 51 + 3) % config.vocabSize),
      scored: Int32Array.from({ length: length - 8 }, (_, t) => t + 8),
      perToken: { weights: new Float32Array(length - 8).fill(i % 2 ? share : -0.7 * share) },
    }))
  const found = async (precision: 'float32' | 'float16') => {
    const options = { threads: 1, temperature: 1, adapter, kept: 'products', headRows: 512, precision } as const
    const pass = await createLayeredPass(config, weights, { ...options, trained: name => name.includes('lora_') })
    const logprobs = await pass.logprobs('trained', batchOf(1))
    const gradients: Float32Array[] = []
    for (const share of [1, 1e-9]) {
      const sums: GradientSums = new Map()
      await pass.run({ kind: 'crossEntropy' }, batchOf(share), sums)
      gradients.push(
        Float32Array.from([...adapter.factors.keys()].flatMap(name => [...(sums.get(name) as Float32Array)])),
      )
    }
    await pass.dispose()
    return { logprobs, gradients }
  }
  const [exact, half] = [await found('float32'), await found('float16')]
  const errors = exact.logprobs.map((x, i) => Math.abs(x - (half.logprobs[i] as number)))
  const mean = errors.reduce((a, b) => a + b, 0) / errors.length
  expect(mean).toBeLessThan(0.005)
  expect(mean).toBeGreaterThan(1e-6)
  const norm = (xs: Float32Array) => Math.sqrt(xs.reduce((sum, x) => sum + x * x, 0))
  for (const [i, gradient] of exact.gradients.entries()) {
    const other = half.gradients[i] as Float32Array
    expect(norm(gradient.map((x, at) => x - (other[at] as number))) / norm(gradient)).toBeLessThan(0.01)
  }
})

test('a device keeps matrices of layers in float16, and all else in float32', () => {
  const { tensors, forward, backward } = layerModels(config, { lora, precision: 'float16', device: 'webgpu' })
  for (const [name, { dtype, trained, shape }] of tensors)
    expect({ name, dtype }).toEqual({ name, dtype: !trained && shape.length === 2 ? 'f16' : 'f32' })
  for (const { outputs } of [forward, backward]) for (const { dtype } of outputs.values()) expect(dtype).toBe('f32')
})
