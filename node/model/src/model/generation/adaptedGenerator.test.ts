import { expect, test } from 'vitest'
import { tinyConfig, tinyWeights } from '../decoder/tinyDecoder.ts'
import { initLora, type LoraAdapter, mergeLora } from '../lora/loraFactors.ts'
import { bakedParts } from '../quantization/frozenParts.ts'
import { createAdaptedGenerator } from './adaptedGenerator.ts'
import type { GenerateOptions } from './completion.ts'
import { createGenerator, type Generator } from './generate.ts'

const request: GenerateOptions = {
  prompts: [Int32Array.of(3, 1, 4, 1, 5), Int32Array.of(9, 2, 6)],
  samplesPerPrompt: 3,
  maxNewTokens: 12,
  temperature: 1,
  stopToken: 0,
  seed: 'adapted',
}

function move({ factors }: LoraAdapter, size: number): void {
  for (const [name, { data }] of factors)
    if (name.endsWith('lora_B.weight')) data.set(data.map((_, i) => size * Math.sin(i * 1.3 + name.length)))
}

async function completions(generator: Generator) {
  const all = await generator.generate(request)
  return { tokens: all.map(({ tokens }) => [...tokens]), logprobs: all.flatMap(({ logprobs }) => [...logprobs]) }
}

for (const targets of [['q_proj', 'o_proj', 'down_proj'], ['k_proj', 'v_proj', 'up_proj'], ['gate_proj']]) {
  test(`generation under an adapter of ${targets} is that of the merged model, and follows the factors`, async () => {
    const weights = tinyWeights()
    const adapter = initLora(tinyConfig, { rank: 3, alpha: 6, targets, rankStabilized: false }, 'adapted')
    const adapted = await createAdaptedGenerator(tinyConfig, bakedParts(tinyConfig, weights), adapter, { threads: 1 })
    const seen = []
    for (const size of [0, 0.5]) {
      move(adapter, size)
      const merged = createGenerator(tinyConfig, mergeLora(weights, adapter))
      const [own, expected] = [await completions(adapted), await completions(merged)]
      expect(own.tokens).toEqual(expected.tokens)
      for (const [i, logprob] of own.logprobs.entries()) expect(logprob).toBeCloseTo(expected.logprobs[i] as number, 4)
      seen.push(own.tokens)
      await merged.dispose()
    }
    expect(seen[0]).not.toEqual(seen[1])
    await adapted.dispose()
  })
}
