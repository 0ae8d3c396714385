import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Graph } from '#engine/graph.ts'
import { createSession, type Tensor, tensor } from '#engine/session.ts'
import { cast } from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'
import { comparePrecisions } from '../comparePrecisions.ts'
import { readDecoderConfig } from '../decoder/decoderConfig.ts'
import { initWeights } from '../decoder/initWeights.ts'
import { ropeHalfTables } from '../decoder/rope.ts'
import { tinyConfig } from '../decoder/tinyDecoder.ts'
import { buildGenerationModel } from '../generation/generationGraph.ts'
import { loadScorer } from '../scoring/loadScorer.ts'
import { writeModel } from '../writeModel.ts'
import { type Freeze, frozenParts } from './frozenParts.ts'
import { locateFrozenTensors } from './frozenTensors.ts'

/** Qwen2.5's proportions: grouped queries, biases, a tied table. */
const config = {
  ...tinyConfig,
  ...{ vocabSize: 512, hiddenSize: 224, layers: 4, heads: 14, kvHeads: 2, headDim: 16, intermediateSize: 1216 },
  maxPositions: 128,
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waggle-float16-'))
  const weights = initWeights(config, 'float16')
  // Logits as far apart as a trained model's: of a standard deviation of 3.
  for (const [name, { data }] of weights)
    if (name.includes('embed')) for (const i of data.keys()) data[i] = (data[i] as number) * 10
  await writeModel(folder, config, weights)
})
afterAll(() => rm(folder, { recursive: true }))

test('products in float16 move log-probabilities by less than 0.005 on average, and nothing else is in float16', async () => {
  const sequences = [0, 1].map(s => Int32Array.from({ length: 100 }, (_, i) => (i * 37 + s * 501) % config.vocabSize))
  const { errors } = await comparePrecisions(folder, sequences, ['float16'])
  const float16 = errors[0]?.meanLogprobError
  expect(float16).toBeLessThan(0.005)
  expect(float16).toBeGreaterThan(1e-6)

  const graph = new Graph()
  const read = await readDecoderConfig(folder)
  const parts = frozenParts(read, await locateFrozenTensors(folder, read, 'float16'))(graph)
  const x = graph.input('x', 'f32', ['R', config.hiddenSize])
  const projected = parts.project(x, 'model.layers.0.self_attn.q_proj', 'model.layers.0.self_attn.k_proj')
  expect([projected.dtype, parts.embed(graph.input('ids', 'i64', ['R'])).dtype]).toEqual(['f32', 'f32'])
  const inFloat16 = () => graph.nodes.filter(({ outputs }) => outputs.some(({ dtype }) => dtype === 'f16'))
  expect(inFloat16().map(({ op }) => op)).toEqual(['Cast', 'Cast', 'Concat', 'Cast', 'MatMul'])
  expect(parts.logits(x).dtype).toBe('f32')
  expect(inFloat16()).toHaveLength(5)
})

/**
 * The same parts in a graph that the CPU rounds as WebGPU does. Its cache crosses in float32, since the binding neither takes float16 from this process nor gives it, and is rounded there; and casts are apart
 * from those that the CPU's runtime inserts, with which it would take them out.
 */
const onCpu =
  (freeze: Freeze): Freeze =>
  graph => {
    const [input, apply] = [graph.input.bind(graph), graph.apply.bind(graph)]
    const opaque = <T extends Value | null>(x: T): T => {
      if (x?.dtype !== 'f16' || x.shape.length === 0) return x
      return apply('Reshape', [x, graph.integers(x.shape.map(() => 0))], {}, x.shape)[0] as T
    }
    graph.input = (name, dtype, shape) =>
      dtype === 'f16' ? cast(input(name, 'f32', shape), 'f16') : input(name, dtype, shape)
    graph.apply = (op, inputs, ...rest) => {
      if (op === 'Cast') return apply(op, inputs.map(opaque), ...rest).map(opaque)
      const outputs = apply(op, inputs, ...rest)
      return op === 'GroupedAttention' ? [outputs[0] as Value, ...outputs.slice(1).map(x => cast(x, 'f32'))] : outputs
    }
    return freeze(graph)
  }

/** Log-probabilities of tokens by the program that WebGPU generates with, run on the CPU: a prompt of 16 tokens in one run, and the others one by one. */
async function stepByStep(precision: 'float32' | 'float16', tokens: Int32Array): Promise<number[]> {
  const read = await readDecoderConfig(folder)
  const parts = frozenParts(read, await locateFrozenTensors(folder, read, precision))
  const { inputs, outputs } = buildGenerationModel(read, parts, 'webgpu')
  for (const [name, { dtype }] of [...inputs, ...outputs])
    if (/^(past|kept)/.test(name)) expect(dtype, name).toBe(precision === 'float16' ? 'f16' : 'f32')
  const model = buildGenerationModel(read, onCpu(parts), 'webgpu')
  const session = await createSession({ ...model, device: 'cpu' })
  const shape = [1, config.kvHeads, tokens.length, config.headDim]
  const elements = shape.reduce((a, b) => a * b, 1)
  const names = Array.from({ length: config.layers }, (_, layer) => [`${layer}.key`, `${layer}.value`]).flat()
  const nothing = tensor('f32', new Float32Array(elements), shape)
  let cache: Record<string, Tensor> = Object.fromEntries(names.map(name => [`past.${name}`, nothing]))
  const { cos, sin } = ropeHalfTables(read, tokens.length)
  const tables = [tokens.length, config.headDim / 2]
  const logprobs: number[] = []
  for (let from = 0, length = 16; from < tokens.length - 1; from += length, length = 1) {
    const ids = BigInt64Array.from(tokens.subarray(from, from + length), BigInt)
    const given = await session.run({
      ...cache,
      tokens: tensor('i64', ids, [1, length]),
      last: tensor(
        'i64',
        BigInt64Array.from(ids, (_, i) => BigInt(i)),
        [length],
      ),
      lastPlace: tensor('i32', Int32Array.of(from + length - 1), [1]),
      filled: tensor('i32', Int32Array.of(from + length), []),
      cos: tensor('f32', cos, tables),
      sin: tensor('f32', sin, tables),
      inverseTemperature: tensor('f32', Float32Array.of(1), []),
    })
    const probabilities = (given.probabilities as Tensor<'f32'>).data
    for (let i = 0; i < length; i++)
      logprobs.push(Math.log(probabilities[i * config.vocabSize + (tokens[from + i + 1] as number)] as number))
    cache = Object.fromEntries(names.map(name => [`past.${name}`, given[`kept.${name}`] as Tensor]))
  }
  await session.dispose()
  return logprobs
}

test('keys, values and attention in float16 move log-probabilities of generated tokens by less than 0.005 on average', async () => {
  const tokens = Int32Array.from({ length: 96 }, (_, i) => (i * 37 + 11) % config.vocabSize)
  const [exact, found] = [await stepByStep('float32', tokens), await stepByStep('float16', tokens)]
  const scorer = await loadScorer(folder)
  const [scores] = await scorer.score([{ tokens, from: 1 }])
  await scorer.dispose()
  const apart = (a: ArrayLike<number>, b: ArrayLike<number>) =>
    Array.from(a, (x, i) => Math.abs(x - (b[i] as number))).reduce((sum, x) => sum + x, 0) / a.length
  expect(apart(exact, scores?.logprobs ?? [])).toBeLessThan(1e-5)
  expect(apart(found, exact)).toBeLessThan(0.005)
  expect(apart(found, exact)).toBeGreaterThan(1e-6)
})
