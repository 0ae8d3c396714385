import { expect, test } from 'vitest'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { createAdaptedGenerator } from '#model/generation/adaptedGenerator.ts'
import { initLora } from '#model/lora/loraFactors.ts'
import { bakedParts, frozenParts } from '#model/quantization/frozenParts.ts'
import { quantizeWeights } from '#model/quantization/quantizedTensors.ts'
import { groupStep } from '../groupStep.ts'
import { createTrainer } from '../trainer.ts'

const STEPS = 30
const prompt = Int32Array.of(1, 2, 3)
/** Share of the wanted token. */
const reward = (tokens: Int32Array) => tokens.filter(token => token === 7).length / tokens.length

/** Mean rewards of the first and the last five steps of GRPO, generator and trainer sharing the factors. */
async function learn(precision: 'float32' | 'int8') {
  const weights = tinyWeights()
  const lora = { rank: 8, alpha: 16, targets: ['q_proj', 'v_proj', 'up_proj', 'down_proj'], rankStabilized: false }
  const adapter = initLora(tinyConfig, lora, 'learning')
  const trainer = await createTrainer(tinyConfig, weights, { threads: 1, adapter, layered: true, precision })
  const base =
    precision === 'int8'
      ? frozenParts(tinyConfig, await quantizeWeights(tinyConfig, weights, 'int8'))
      : bakedParts(tinyConfig, weights)
  const generator = await createAdaptedGenerator(tinyConfig, base, adapter, { threads: 1 })
  const means: number[] = []
  for (let step = 0; step < STEPS; step++) {
    const completions = await generator.generate({
      prompts: [prompt],
      samplesPerPrompt: 16,
      maxNewTokens: 8,
      temperature: 1,
      stopToken: -1,
      seed: `${step}`,
    })
    const rewarded = completions.map(({ tokens, logprobs }) => ({ tokens, logprobs, reward: reward(tokens) }))
    means.push(rewarded.reduce((sum, c) => sum + c.reward, 0) / rewarded.length)
    await groupStep(trainer, [{ prompt, completions: rewarded }], { learningRate: 1e-2, minDeviation: 0 })
  }
  await trainer.dispose()
  await generator.dispose()
  const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length
  return { first: mean(means.slice(0, 5)), last: mean(means.slice(-5)) }
}

test('an adapter learns what is rewarded while a generator samples under it, over a base in float32 or in 8 bits', async () => {
  const [real, integer] = [await learn('float32'), await learn('int8')]
  for (const { first, last } of [real, integer]) expect(last).toBeGreaterThan(first + 0.3)
  expect(Math.abs(integer.last - real.last)).toBeLessThan(0.15)
})
