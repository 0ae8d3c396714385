import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Graph } from '#engine/graph.ts'
import { readDecoderConfig } from '../decoder/decoderConfig.ts'
import { initWeights } from '../decoder/initWeights.ts'
import { tinyConfig } from '../decoder/tinyDecoder.ts'
import { writeModel } from '../files/writeModel.ts'
import { comparePrecisions } from './comparePrecisions.ts'
import { frozenParts } from './frozenParts.ts'
import { locateFrozenTensors } from './frozenTensors.ts'

/** Qwen2.5's proportions: grouped queries, biases, a tied table. */
const config = {
  ...tinyConfig,
  ...{ vocabSize: 512, hiddenSize: 224, layers: 4, heads: 14, kvHeads: 2, headDim: 16, intermediateSize: 1216 },
  maxPositions: 128,
}

test('products in float16 move log-probabilities by less than 0.005 on average, and nothing else is in float16', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waggle-float16-'))
  const weights = initWeights(config, 'float16')
  // Logits as far apart as a trained model's: of a standard deviation of 3.
  for (const [name, { data }] of weights)
    if (name.includes('embed')) for (const i of data.keys()) data[i] = (data[i] as number) * 10
  await writeModel(folder, config, weights)
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
  await rm(folder, { recursive: true })
})
