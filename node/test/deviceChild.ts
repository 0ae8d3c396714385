import { devices } from '#engine/device.ts'
import { parseDecoderConfig } from '#model/decoderConfig.ts'
import { createGenerator } from '#model/generate.ts'
import { initWeights } from '#model/initWeights.ts'
import { createScorer } from '#model/score.ts'

// Generates and scores with a tiny model on the device that argv names, and prints what came out as one JSON line.
const device = devices.find(name => name === process.argv[2]) ?? 'cpu'
const config = parseDecoderConfig({
  model_type: 'qwen2',
  vocab_size: 64,
  hidden_size: 32,
  num_hidden_layers: 1,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 64,
  max_position_embeddings: 64,
  tie_word_embeddings: true,
})
const weights = initWeights(config, 'device')
const prompts = [Int32Array.of(5, 9, 30, 17), Int32Array.of(2, 7)]
const generator = createGenerator(config, weights, { device })
const completions = await generator.generate({
  prompts,
  samplesPerPrompt: 1,
  maxNewTokens: 4,
  temperature: 1,
  stopToken: 0,
  seed: 's',
})
await generator.dispose()
const scorer = createScorer(config, weights, { device })
const [scores] = await scorer.score([{ tokens: Int32Array.from({ length: 20 }, (_, i) => (i * 7) % 64), from: 1 }])
await scorer.dispose()
console.log(
  JSON.stringify({
    tokens: completions.map(({ tokens }) => [...tokens]),
    logprobs: completions.map(({ logprobs }) => [...logprobs]),
    scores: [...(scores?.logprobs ?? [])],
  }),
)
