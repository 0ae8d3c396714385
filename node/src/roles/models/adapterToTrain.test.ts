import { expect, test } from 'vitest'
import { MAX_POLICY_BYTES } from '#core/payloads/payloadSizes.ts'
import { tinyConfig } from '#model/decoder/tinyDecoder.ts'
import { allLinear } from '#model/lora/loraConfig.ts'
import { loraShapes } from '#model/lora/loraFactors.ts'

test.each([
  ['Qwen2.5-0.5B', 896, 4864, 24, 14, 2, 64],
  ['Qwen3-0.6B', 1024, 3072, 28, 16, 8, 128],
  ['Llama-3.2-1B', 2048, 8192, 16, 32, 8, 64],
])(
  'the usual adapter of %s is small enough to be published',
  (_, hiddenSize, intermediateSize, layers, heads, kvHeads, headDim) => {
    const config = { ...tinyConfig, hiddenSize, intermediateSize, layers, heads, kvHeads, headDim }
    const shapes = loraShapes(config, { rank: 16, alpha: 32, targets: allLinear, rankStabilized: false })
    const elements = [...shapes.values()].reduce((sum, shape) => sum + (shape[0] ?? 0) * (shape[1] ?? 0), 0)
    expect(elements).toBeGreaterThan(8e6)
    // Its header takes some 150 bytes for each tensor.
    expect(4 * elements + 200 * shapes.size).toBeLessThan(MAX_POLICY_BYTES)
  },
)
