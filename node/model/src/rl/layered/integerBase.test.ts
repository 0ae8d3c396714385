import { expect, test } from 'vitest'
import { gradients } from '#engine/gradients.ts'
import { Graph } from '#engine/graph.ts'
import { encodeModel } from '#engine/onnxModel.ts'
import { createSession, tensor } from '#engine/session.ts'
import { integerLinear, mul, sumOver } from '#engine/tensor.ts'
import { tinyConfig, tinyFamilies, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { createAdaptedGenerator } from '#model/generation/adaptedGenerator.ts'
import { initLora } from '#model/lora/loraFactors.ts'
import { frozenParts } from '#model/quantization/frozenParts.ts'
import { quantizeBytes } from '#model/quantization/quantize.ts'
import { quantizeWeights } from '#model/quantization/quantizedTensors.ts'
import type { GradientSums } from '../passes/gradientPass.ts'
import { createTrainer } from '../trainer.ts'
import { createLayeredPass } from './layeredPass.ts'

const wave = (count: number, seed: number) => Float32Array.from({ length: count }, (_, i) => Math.sin(i * 1.7 + seed))

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, v, i) => sum + v * (y[i] as number), 0)
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}

test('the gradient through an integer product is that of the product of real numbers, within the rounding of its rows', async () => {
  const [rows, inner, out] = [5, 32, 24]
  const weight = { shape: [out, inner], data: wave(out * inner, 1) }
  const { codes, scales } = quantizeBytes([weight])
  const graph = new Graph()
  const x = graph.input('x', 'f32', [rows, inner])
  const w = graph.input('w', 'i8', [inner, out])
  const s = graph.input('s', 'f32', [out])
  const dy = graph.input('dy', 'f32', [rows, out])
  const [dx] = gradients(sumOver(mul(integerLinear(x, w, s, true), dy)), [x])
  const session = await createSession(encodeModel({ dx: dx as NonNullable<typeof dx> }), { threads: 1 })
  const upstream = wave(rows * out, 3)
  const outputs = await session.run({
    ...(session.model.inputs.has('x') ? { x: tensor('f32', wave(rows * inner, 2), [rows, inner]) } : {}),
    w: tensor('i8', codes, [inner, out]),
    s: tensor('f32', scales, [out]),
    dy: tensor('f32', upstream, [rows, out]),
  })
  await session.dispose()
  const expected = Float32Array.from({ length: rows * inner }, (_, at) => {
    const [r, k] = [Math.floor(at / inner), at % inner]
    return weight.data.reduce(
      (sum, v, i) => (i % inner === k ? sum + v * (upstream[r * out + (i - k) / inner] as number) : sum),
      0,
    )
  })
  expect(cosine(outputs.dx?.data as Float32Array, expected)).toBeGreaterThan(0.9999)
})

test('over an 8-bit base the gradient of an adapter has a cosine of at least 0.99 with that of float32', async () => {
  const weights = tinyWeights()
  const adapter = initLora(
    tinyConfig,
    { rank: 4, alpha: 8, targets: ['q_proj', 'o_proj', 'up_proj', 'down_proj'], rankStabilized: false },
    'q',
  )
  for (const [name, { data }] of adapter.factors)
    if (name.endsWith('lora_B.weight')) data.set(wave(data.length, 5).map(v => 0.1 * v))
  // Log-likelihood weighted by advantages: the policy gradient where the ratios are one.
  const batch = [9, 12, 7, 14].map((length, i) => ({
    tokens: Int32Array.from({ length }, (_, t) => (t * 7 + i * 5 + 3) % tinyConfig.vocabSize),
    scored: Int32Array.from({ length: length - 3 }, (_, t) => t + 3),
    perToken: { weights: new Float32Array(length - 3).fill(i % 2 ? 1 : -0.7) },
  }))
  const gradient = async (precision: 'float32' | 'int8') => {
    const trained = (name: string) => name.includes('lora_')
    const pass = await createLayeredPass(tinyConfig, weights, {
      threads: 1,
      temperature: 1,
      adapter,
      trained,
      kept: 'products',
      headRows: 512,
      precision,
    })
    const sums: GradientSums = new Map()
    await pass.run({ kind: 'crossEntropy' }, batch, sums)
    await pass.dispose()
    return Float32Array.from([...adapter.factors.keys()].flatMap(name => [...(sums.get(name) as Float32Array)]))
  }
  expect(cosine(await gradient('int8'), await gradient('float32'))).toBeGreaterThan(0.99)
})

test('the policy that is trained over an 8-bit base is the one that generates', async () => {
  for (const config of Object.values(tinyFamilies)) {
    const weights = tinyWeights(config)
    const adapter = initLora(
      config,
      { rank: 4, alpha: 8, targets: ['v_proj', 'up_proj'], rankStabilized: false },
      'same',
    )
    const request = { prompts: [Int32Array.of(3, 1, 4)], samplesPerPrompt: 3, maxNewTokens: 8, temperature: 1 }
    const frozen = frozenParts(config, await quantizeWeights(config, weights, 'int8'))
    const generator = await createAdaptedGenerator(config, frozen, adapter, { threads: 1 })
    const completions = await generator.generate({ ...request, stopToken: -1, seed: 'same' })
    await generator.dispose()
    const options = { threads: 1, temperature: 1, adapter, trained: () => false, precision: 'int8' } as const
    const pass = await createLayeredPass(config, weights, { ...options, kept: 'input', headRows: 9 })
    for (const { tokens, logprobs } of completions) {
      const scored = Int32Array.from(tokens, (_, i) => 3 + i)
      const trained = await pass.logprobs('base', [{ tokens: Int32Array.of(3, 1, 4, ...tokens), scored }])
      for (const [i, logprob] of logprobs.entries()) expect(trained[i]).toBeCloseTo(logprob, 4)
    }
    await pass.dispose()
  }
})

test('integer products without an adapter are refused', async () => {
  await expect(createTrainer(tinyConfig, tinyWeights(), { layered: true, precision: 'int8' })).rejects.toMatchObject({
    code: 'TRAINER',
  })
})
