import { generate, loadModel, score } from '@waggle/node/model'

// Generates and scores with a model of a folder on the CPU and by WebGPU, and prints what came out as one JSON line.
const [folder = ''] = process.argv.slice(2)
const outcomes: Record<string, object> = {}
for (const device of ['cpu', 'webgpu'] as const) {
  const model = await loadModel(folder, { device })
  // One fills whole strides of the cache, which is empty before it.
  const long = Int32Array.from({ length: 64 }, (_, i) => (i * 5 + 3) % 64)
  const prompts = [Int32Array.of(5, 9, 30, 17), Int32Array.of(2, 7), long]
  const completions = await generate(model, { prompts, samplesPerPrompt: 1, maxNewTokens: 4 })
  const [scores] = await score(model, [{ tokens: Int32Array.from({ length: 20 }, (_, i) => (i * 7) % 64), from: 1 }])
  outcomes[device] = {
    tokens: completions.map(({ tokens }) => [...tokens]),
    logprobs: completions.flatMap(({ logprobs }) => [...logprobs]),
    scores: [...(scores?.logprobs ?? [])],
  }
  await model.dispose()
}
console.log(JSON.stringify(outcomes))
