import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { createGenerator } from '#model/generation/generate.ts'

// Prompts of one part and of several, of different lengths, more rows than step at a time, and rows that end early, in heads that the kernel splits and turns itself, or that are normed before it:
// prints for each how many completions there are, how many tokens they have, and how far they are from the CPU's.
const stopToken = 5
const promptsOf = (count: number) =>
  Array.from({ length: count }, (_, p) =>
    Int32Array.from({ length: 3 + ((p * 13) % 43) }, (_, i) => (i * 7 + p * 3) % tinyConfig.vocabSize),
  )
const one = { ...tinyConfig, layers: 1 }
const cases = [
  { heads: 'turned by the kernel', config: { ...one, headDim: 16 }, prompts: promptsOf(3), samplesPerPrompt: 22 },
  {
    heads: 'normed',
    config: { ...one, architecture: 'qwen3', attentionBias: 'none', queryKeyNorm: true, headDim: 16 },
    prompts: promptsOf(2),
    samplesPerPrompt: 2,
  },
] as const
for (const { heads, config, prompts, samplesPerPrompt } of cases) {
  const weights = tinyWeights(config)
  const complete = async (device: 'cpu' | 'webgpu') => {
    const generator = createGenerator(config, weights, { device })
    const request = { prompts, samplesPerPrompt, maxNewTokens: 6, temperature: 1, stopToken, seed: 'cache' }
    const completions = await generator.generate(request)
    await generator.dispose()
    return completions
  }
  const [cpu, webgpu] = [await complete('cpu'), await complete('webgpu')]
  const other = webgpu.filter(({ tokens }, i) => tokens.join() !== cpu[i]?.tokens.join()).length
  const apart = webgpu.flatMap(({ logprobs }, i) =>
    [...logprobs].map((x, t) => Math.abs(x - (cpu[i]?.logprobs[t] ?? 9))),
  )
  const counts = cpu.map(({ tokens }) => tokens.length)
  console.log(
    JSON.stringify({
      ...{ heads, rows: cpu.length, other, apart: Math.max(...apart) },
      ...{ shortest: Math.min(...counts), longest: Math.max(...counts) },
    }),
  )
}
