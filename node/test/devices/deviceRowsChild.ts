import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { createGenerator } from '#model/generation/generate.ts'

// More rows than the device has a buffer for: their keys are 1.3 GB, where SwiftShader allocates 1 GB at once. Prints the tokens of either device.
const far = { ...tinyConfig, layers: 1, headDim: 16, maxPositions: 160_000 }
const few: Record<string, number[]> = {}
for (const device of ['cpu', 'webgpu'] as const) {
  const generator = createGenerator(far, tinyWeights(far), { device })
  const [stopToken = 0, ...moreStopTokens] = Array.from({ length: far.vocabSize }, (_, token) => token)
  const request = { prompts: [Int32Array.of(5, 9)], samplesPerPrompt: 64, temperature: 1, seed: 'far' }
  const ends = { maxNewTokens: far.maxPositions - 2, stopToken, moreStopTokens }
  few[device] = (await generator.generate({ ...request, ...ends })).flatMap(({ tokens }) => [...tokens])
  await generator.dispose()
}
console.log(JSON.stringify(few))
