import { expect, test } from 'vitest'
import { MAX_POLICY_BYTES } from '#core/payloads/payloadSizes.ts'
import { tinyConfig } from '#model/decoder/tinyDecoder.ts'
import { allLinear } from '#model/lora/loraConfig.ts'
import { loraShapes } from '#model/lora/loraFactors.ts'
import { encodePolicy } from '#rl/policy/publishedPolicy.ts'
import { usualRank } from './adapterToTrain.ts'

test.each([
  ['Qwen2.5-0.5B', 16, 896, 4864, 24, 14, 2, 64],
  ['Qwen3-0.6B', 16, 1024, 3072, 28, 16, 8, 128],
  ['Llama-3.2-1B', 16, 2048, 8192, 16, 32, 8, 64],
  ['Qwen2.5-1.5B', 8, 1536, 8960, 28, 12, 2, 128],
  ['Qwen3-4B', 8, 2560, 9728, 36, 32, 8, 128],
])(
  'the usual adapter of %s has rank %d and can be published',
  (_, rank, hiddenSize, intermediateSize, layers, heads, kvHeads, headDim) => {
    const config = { ...tinyConfig, hiddenSize, intermediateSize, layers, heads, kvHeads, headDim }
    expect(usualRank(config)).toBe(rank)
    const lora = { rank, alpha: 2 * rank, targets: allLinear, rankStabilized: false }
    const zeros = ([name, shape]: [string, readonly number[]]) =>
      [name, { shape, data: new Float32Array(shape.reduce((size, length) => size * length, 1)) }] as const
    const adapter = { config: lora, factors: new Map([...loraShapes(config, lora)].map(zeros)) }
    const parts = encodePolicy({ adapter, base: `0x${'0'.repeat(64)}`, precision: 'float32' })
    expect(parts.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(MAX_POLICY_BYTES)
  },
)
