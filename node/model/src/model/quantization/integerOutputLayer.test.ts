import { expect, test } from 'vitest'
import { gradients } from '#engine/gradients.ts'
import { Graph } from '#engine/graph.ts'
import { encodeModel } from '#engine/onnxModel.ts'
import { createSession, type Tensor, tensor } from '#engine/session.ts'
import { mul, sumOver } from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'
import { tinyConfig } from '../decoder/tinyDecoder.ts'
import { integerLogprobs, outputLayerShapes, outputLayerTensors, VOCABULARY_PART } from './integerOutputLayer.ts'

const [rows, hiddenSize, vocabSize] = [6, 32, VOCABULARY_PART + 1000]
const config = { ...tinyConfig, hiddenSize, vocabSize }
const wave = (count: number, seed: number) => Float32Array.from({ length: count }, (_, i) => Math.sin(i * 1.7 + seed))
/** Rows have a mean, as those of trained models do. */
const table = wave(vocabSize * hiddenSize, 1).map((v, i) => v + Math.cos(i % hiddenSize))
const tensors = outputLayerTensors(
  config,
  new Map([['model.embed_tokens.weight', { shape: [vocabSize, hiddenSize], data: table }]]),
)
/** In both parts. */
const tokens = Array.from({ length: rows }, (_, r) => r * 1000)

async function run(hidden: Float32Array<ArrayBuffer>, upstream: Float32Array, threads = 1) {
  const graph = new Graph()
  const count = hidden.length / hiddenSize
  const x = graph.input('x', 'f32', [count, hiddenSize])
  const values = new Map(
    [...outputLayerShapes(config)].map(([name, { dtype, shape }]) => [name, graph.input(name, dtype, shape)]),
  )
  const ids = graph.constant('i64', [count], BigInt64Array.from(tokens.slice(0, count), BigInt))
  const logprobs = integerLogprobs(config, values, x, ids, 2)
  const [dx] = gradients(sumOver(mul(logprobs, graph.constant('f32', [count], upstream))), [x])
  const session = await createSession(encodeModel({ logprobs, dx: dx as Value }), { threads })
  const outputs = await session.run({ x: tensor('f32', hidden, [count, hiddenSize]), ...Object.fromEntries(tensors) })
  await session.dispose()
  return { logprobs: (outputs.logprobs as Tensor<'f32'>).data, dx: (outputs.dx as Tensor<'f32'>).data }
}

/** The same of real numbers, with the rounded weights. */
function exact(hidden: Float32Array, upstream: Float32Array) {
  const codes = tensors.get('model.embed_tokens.rows')?.data as Int8Array
  const scales = tensors.get('model.embed_tokens.scale')?.data as Float32Array
  const weight = (v: number, k: number) => (codes[v * hiddenSize + k] as number) * (scales[v] as number)
  const byRow = tokens.map((token, r) => {
    const state = hidden.subarray(r * hiddenSize, (r + 1) * hiddenSize)
    const logits = Array.from({ length: vocabSize }, (_, v) => state.reduce((t, s, k) => t + s * weight(v, k), 0) / 2)
    const most = Math.max(...logits)
    const shares = logits.map(logit => Math.exp(logit - most))
    const sum = shares.reduce((a, b) => a + b, 0)
    const dx = Array.from(state, (_, k) => {
      const mean = shares.reduce((total, share, v) => total + share * weight(v, k), 0) / sum
      return ((upstream[r] as number) * (weight(token, k) - mean)) / 2
    })
    return { logprob: (logits[token] as number) - most - Math.log(sum), dx }
  })
  return { logprobs: byRow.map(({ logprob }) => logprob), dx: Float32Array.from(byRow.flatMap(({ dx }) => dx)) }
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, v, i) => sum + v * (y[i] as number), 0)
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}

test('log-probabilities and gradients under 8-bit integers are near those of real numbers, whether many tokens are likely or few', async () => {
  for (const size of [0.05, 0.3, 1.5]) {
    const [hidden, upstream] = [wave(rows * hiddenSize, 2).map(v => v * size), wave(rows, 4)]
    const [given, expected] = [await run(hidden, upstream), exact(hidden, upstream)]
    for (const [r, logprob] of expected.logprobs.entries())
      expect(Math.abs((given.logprobs[r] as number) - logprob)).toBeLessThan(0.3 * size)
    expect(cosine(given.dx, expected.dx), `size ${size}`).toBeGreaterThan(0.995)
  }
})

test('a row is bitwise identical alone, in a batch, and on two threads', async () => {
  const [hidden, upstream] = [wave(rows * hiddenSize, 2), wave(rows, 4)]
  const whole = await run(hidden, upstream)
  expect(await run(hidden, upstream, 2)).toEqual(whole)
  const few = await run(hidden.subarray(0, 2 * hiddenSize), upstream.subarray(0, 2))
  expect(few.logprobs).toEqual(whole.logprobs.subarray(0, 2))
  expect(few.dx).toEqual(whole.dx.subarray(0, 2 * hiddenSize))
})
