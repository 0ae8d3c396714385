import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { randomStream } from '#base/random.ts'
import { type DecoderConfig, formatDecoderConfig, parseDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { decoderWeightShapes, parameterCount } from '#model/decoder/decoderWeights.ts'
import { referenceLogprobs } from '#model/decoder/referenceDecoder.ts'
import { encodeSafetensorsHeader } from '#model/files/safetensors.ts'
import { allLinear } from '#model/lora/loraConfig.ts'
import { groupStep } from './groupStep.ts'
import { openAdapterPolicy } from './policy/adapterPolicy.ts'

/** Qwen3-4B with 2 of its 36 layers: 0.59 billion parameters, 2.2 GiB of float32. */
const config: DecoderConfig = parseDecoderConfig({
  model_type: 'qwen3',
  vocab_size: 151_936,
  hidden_size: 2560,
  num_hidden_layers: 2,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  head_dim: 128,
  intermediate_size: 9728,
  rms_norm_eps: 1e-6,
  rope_theta: 1e6,
  tie_word_embeddings: true,
  max_position_embeddings: 40_960,
})
const GIB = 2 ** 30
const prompt = Int32Array.of(9707, 151_935, 42)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waggle-large-adapter-'))
  await writeFile(join(folder, 'config.json'), JSON.stringify(formatDecoderConfig(config)))
  const shapes = new Map([...decoderWeightShapes(config)].map(([name, shape]) => [name, { shape }]))
  const stream = randomStream('large adapter', 'waggle')
  const pool = Float32Array.from({ length: 1 << 20 }, () => 0.02 * stream.normal())
  const file = await open(join(folder, 'model.safetensors'), 'w')
  await file.write(Buffer.concat(encodeSafetensorsHeader(shapes, 'F32')))
  for (const name of [...shapes.keys()].sort()) {
    let left = (shapes.get(name)?.shape ?? []).reduce((product, length) => product * length, 1)
    while (left > 0) {
      const from = Math.floor(stream.uniform() * pool.length)
      const part = pool.slice(from, Math.min(pool.length, from + left))
      await file.write(name.endsWith('norm.weight') ? part.map(x => 1 + x) : part)
      left -= part.length
    }
  }
  await file.close()
})
afterAll(() => rm(folder, { recursive: true }))

test("an adapter over a model of Qwen3-4B's shape beyond 2 GiB samples by the definition, learns, and stays within 8 bytes a parameter", async () => {
  expect((await stat(join(folder, 'model.safetensors'))).size).toBeGreaterThan(2 * GIB)
  const lora = { rank: 4, alpha: 8, targets: allLinear, rankStabilized: false }
  const settings = { threads: 2, device: 'cpu', adamW: {} } as const
  const policy = await openAdapterPolicy(join(folder, 'none'), folder, { lora, base: 'float32' }, settings)
  const sampling = { maxNewTokens: 3, stopToken: -1, seed: '0' }
  const [greedy] = await policy.generate({ prompts: [prompt], samplesPerPrompt: 1, temperature: 0, ...sampling })
  const tokens = [...prompt]
  for (const [i, token] of [...(greedy?.tokens ?? [])].entries()) {
    const logprobs = referenceLogprobs(config, policy.trainer.weights, tokens)
    const due = logprobs.reduce((best, logprob, at) => (logprob > (logprobs[best] as number) ? at : best), 0)
    expect(token).toBe(due)
    expect(greedy?.logprobs[i]).toBeCloseTo(logprobs[due] as number, 3)
    tokens.push(token)
  }
  expect(tokens).toHaveLength(prompt.length + 3)

  const [liked, other] = await policy.generate({ prompts: [prompt], samplesPerPrompt: 2, temperature: 1, ...sampling })
  if (!liked || !other) throw new Error('two completions were asked for')
  const sequence = { tokens: Int32Array.of(...prompt, ...liked.tokens), scored: Int32Array.of(3, 4, 5) }
  const likedNow = async () => (await policy.trainer.logprobs([sequence]))[0] as Float32Array
  // Training runs layer by layer, and another graph than generation.
  const before = await likedNow()
  for (const [i, logprob] of before.entries()) expect(logprob).toBeCloseTo(liked.logprobs[i] as number, 3)
  const hash = policy.weightsHash()
  const completions = [
    { ...liked, reward: 1 },
    { ...other, reward: 0 },
  ]
  const { step } = await groupStep(policy.trainer, [{ prompt, completions }], { learningRate: 1e-3 })
  expect(step).toMatchObject({ loss: expect.toSatisfy(Number.isFinite), gradientNorm: expect.toSatisfy(n => n > 0) })
  expect(policy.weightsHash()).not.toBe(hash)
  const sum = (values: Float32Array) => values.reduce((total, value) => total + value, 0)
  expect(sum(await likedNow())).toBeGreaterThan(sum(before))
  await policy.dispose()
  // The estimate of join and doctor for all memory of a peer.
  const peakBytes = process.resourceUsage().maxRSS * 1024
  expect(peakBytes).toBeLessThan(8 * parameterCount(config) + 2 * GIB)
})
