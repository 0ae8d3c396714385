import { expect, test } from 'vitest'
import { checkGradients } from '#engine/gradientCheck.ts'
import { createSession, type Tensor, tensor } from '#engine/session.ts'
import { decoderFeeds, realTensor } from '#model/decoder/batch.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import { initWeights } from '#model/decoder/initWeights.ts'
import { tinyConfig } from '#model/decoder/tinyDecoder.ts'
import { gradientName, type LossKind, lossModel } from './trainingGraphs.ts'

const tiny = { ...tinyConfig, vocabSize: 20, headDim: 4, maxPositions: 32 }

const policy: LossKind = { kind: 'policy', clipLow: 0.2, clipHigh: 0.28, klBeta: 0.04 }

/** Three sequences of different lengths, with ratios on both sides of both clip bounds. */
function feedsOf(config: DecoderConfig, real: 'f32' | 'f64', logprobs?: ArrayLike<number>): Record<string, Tensor> {
  const sequences = [9, 12, 7].map((length, b) => ({
    tokens: Int32Array.from({ length }, (_, i) => (i * 7 + b * 5 + 3) % config.vocabSize),
    scored: Int32Array.from({ length: length - 4 }, (_, i) => i + 4),
  }))
  const { feeds, scored } = decoderFeeds(config, sequences, real)
  const wave = (f: (i: number) => number) =>
    realTensor(
      real,
      Float64Array.from({ length: scored }, (_, i) => f(i)),
      [scored],
    )
  for (const [name, { shape, data }] of initWeights(config, 'gradient check')) {
    // Biases and norms away from zero and one, so that a missing term would show.
    const moved = Float64Array.from(data, (x, i) => x * 2 + 0.05 * Math.sin(i * 3 + name.length))
    feeds[name] = realTensor(real, moved, shape)
  }
  const old = (i: number) => (logprobs?.[i] ?? -3) + 0.5 * Math.sin(i * 2.3 + 0.4)
  return {
    ...feeds,
    weights: wave(() => 1 / scored),
    advantages: wave(i => Math.cos(i * 1.7)),
    oldLogprobs: wave(old),
    referenceLogprobs: wave(i => (logprobs?.[i] ?? -3) + 0.3 * Math.cos(i * 1.1)),
  }
}

const kept = (feeds: Record<string, Tensor>, names: Iterable<string>) =>
  Object.fromEntries([...names].map(name => [name, feeds[name] as Tensor]))

test('gradients of the whole decoder under the policy loss agree with finite differences within 1e-6', async () => {
  const model = lossModel(tiny, policy, { real: 'f64', temperature: 0.8 })
  const check = await checkGradients(model, kept(feedsOf(tiny, 'f64'), model.inputs.keys()), { perTensor: 6 })
  expect(check.checked).toBeGreaterThan(150)
  expect(check.worst, check.at).toBeLessThan(1e-6)
})

test('an untied output layer and one key head for each query head have right gradients too', async () => {
  const config = { ...tiny, tieWordEmbeddings: false, kvHeads: 4, layers: 1 }
  const model = lossModel(config, { kind: 'crossEntropy' }, { real: 'f64' })
  const check = await checkGradients(model, kept(feedsOf(config, 'f64'), model.inputs.keys()), { perTensor: 6 })
  expect(check.worst, check.at).toBeLessThan(1e-6)
})

test('the float32 graph, with its fused kernels, gives the gradients of the float64 one within 1e-4', async () => {
  const run = async (real: 'f32' | 'f64') => {
    const model = lossModel(tiny, policy, { real })
    const session = await createSession(model, { threads: 1 })
    try {
      return await session.run(kept(feedsOf(tiny, real), model.inputs.keys()))
    } finally {
      await session.dispose()
    }
  }
  const [single, double] = [await run('f32'), await run('f64')]
  for (const name of initWeights(tiny, 'names').keys()) {
    const a = (single[gradientName(name)] as Tensor<'f32'>).data
    const b = (double[gradientName(name)] as Tensor<'f64'>).data
    const difference = Math.sqrt(b.reduce((sum, x, i) => sum + (x - (a[i] as number)) ** 2, 0))
    const size = Math.sqrt(b.reduce((sum, x) => sum + x * x, 0))
    expect(difference / size, name).toBeLessThan(1e-4)
  }
})

test('the same configuration gives the same model bytes, and another configuration others', () => {
  const hash = (config: DecoderConfig) => lossModel(config, policy).hash
  expect(hash(tiny)).toBe(hash({ ...tiny }))
  expect(hash(tiny)).not.toBe(hash({ ...tiny, rmsNormEps: 1e-5 }))
})

test('padding changes nothing: a sequence alone and in a batch with a longer one has the same gradients', async () => {
  const model = lossModel(tiny, { kind: 'crossEntropy' }, { real: 'f64' })
  const session = await createSession(model, { threads: 1 })
  const short = { tokens: Int32Array.of(1, 2, 3, 4), scored: Int32Array.of(2, 3) }
  const long = { tokens: Int32Array.from({ length: 11 }, (_, i) => i), scored: Int32Array.of(1) }
  const all = feedsOf(tiny, 'f64')
  const gradient = async (sequences: (typeof short)[], weights: number[]) => {
    const { feeds } = decoderFeeds(tiny, sequences, 'f64')
    const fed = { ...all, ...feeds, weights: tensor('f64', Float64Array.from(weights), [weights.length]) }
    const outputs = await session.run(kept(fed, model.inputs.keys()))
    return (outputs[gradientName('model.layers.0.self_attn.k_proj.weight')] as Tensor<'f64'>).data
  }
  const alone = await gradient([short], [0.5, 0.5])
  const padded = await gradient([short, long], [0.5, 0.5, 0])
  await session.dispose()
  for (const [i, x] of alone.entries()) expect(padded[i]).toBeCloseTo(x, 12)
})
