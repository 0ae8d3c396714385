import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { encodeSafetensorsHeader, type Tensor } from '../files/safetensors.ts'
import { ModelFileError } from '../modelErrors.ts'
import { locateFrozenTensors } from '../quantization/frozenTensors.ts'
import { decoderWeightShapes } from './decoderWeights.ts'
import { tinyConfig, tinyWeights } from './tinyDecoder.ts'
import {
  checkWeights,
  copyWeights,
  hashStoredWeights,
  hashWeights,
  readWeights,
  sameWeights,
  type Weights,
  writeWeights,
} from './weights.ts'

const folder = await mkdtemp(join(tmpdir(), 'waggle-weights-'))
afterAll(() => rm(folder, { recursive: true }))
const path = join(folder, 'model.safetensors')
const tensorOf = (weights: Map<string, Tensor>, name: string) => weights.get(name) as Tensor

test('weights in F32 come back bit for bit, with the same hash', async () => {
  const weights = tinyWeights()
  await writeWeights(path, weights, 'F32')
  const read = await readWeights(folder, tinyConfig)
  expect(sameWeights(read, weights)).toBe(true)
  expect(hashWeights(read)).toBe(hashWeights(weights))
  expect(hashWeights(tinyWeights(tinyConfig, 'other'))).not.toBe(hashWeights(weights))
})

test('weights read from BF16 have one hash, whatever file they are in', async () => {
  await writeWeights(path, tinyWeights(), 'BF16')
  const rounded = await readWeights(folder, tinyConfig)
  expect(sameWeights(rounded, tinyWeights())).toBe(false)
  await writeWeights(path, rounded, 'F32')
  expect(hashWeights(await readWeights(folder, tinyConfig))).toBe(hashWeights(rounded))
})

test('the hash of stored weights, read a chunk at a time, is that of the weights', async () => {
  const config = { ...tinyConfig, vocabSize: 70_000 } // an embedding of more than a chunk
  const weights: Weights = new Map()
  for (const [name, shape] of decoderWeightShapes(config)) {
    const data = new Float32Array(shape.reduce((product, length) => product * length, 1))
    weights.set(name, { shape, data: data.map((_, i) => (i % 251) - 125) })
  }
  for (const dtype of ['F32', 'BF16'] as const) {
    await writeWeights(path, weights, dtype)
    expect(await hashStoredWeights(folder, config)).toBe(hashWeights(weights))
  }
  tensorOf(weights, 'model.embed_tokens.weight').data[1_100_000] = Number.POSITIVE_INFINITY
  await writeWeights(path, weights, 'F32')
  await expect(hashStoredWeights(folder, config)).rejects.toThrow('element 1100000 is Infinity')
})

test('an output layer that repeats the tied embedding is dropped', async () => {
  const weights = tinyWeights()
  weights.set('lm_head.weight', tensorOf(weights, 'model.embed_tokens.weight'))
  await writeWeights(path, weights, 'F32')
  expect((await readWeights(folder, tinyConfig)).has('lm_head.weight')).toBe(false)
})

test('a weight that is missing, misshapen, foreign or not finite is named', async () => {
  const damage = (change: (weights: Map<string, Tensor>) => void) => {
    const weights = tinyWeights()
    change(weights)
    return weights
  }
  const name = 'model.layers.1.mlp.up_proj.weight'
  const { shape, data } = tensorOf(tinyWeights(), name)
  const named = expect.objectContaining({ field: name, file: 'source' })
  const check = (weights: Map<string, Tensor>) => () => checkWeights(tinyConfig, weights, 'source')
  expect(check(damage(w => w.delete(name)))).toThrow(named)
  expect(check(damage(w => w.set(name, { shape: [...shape].reverse(), data })))).toThrow(named)
  expect(check(damage(w => w.set(name, { shape, data: data.slice(1) })))).toThrow(named)
  expect(check(damage(w => w.set('extra', { shape, data })))).toThrow(ModelFileError)
  await writeWeights(
    path,
    damage(w => tensorOf(w, name).data.fill(Number.NaN, 5, 6)),
    'F32',
  )
  await expect(readWeights(folder, tinyConfig)).rejects.toThrow(`${name}: element 5 is NaN`)
})

test('weights that the machine cannot hold are refused before any memory is asked for', async () => {
  const huge = { ...tinyConfig, layers: 256, hiddenSize: 16_384, intermediateSize: 131_072 }
  const shapes = [...decoderWeightShapes(huge)].map(([name, shape]) => [name, { shape }] as const)
  const header = Buffer.concat(encodeSafetensorsHeader(new Map(shapes), 'BF16'))
  const elements = shapes.reduce((sum, [, { shape }]) => sum + shape.reduce((a, b) => a * b, 1), 0)
  await writeFile(path, header)
  await truncate(path, header.length + 2 * elements) // 3.3 TB of nothing
  for (const read of [readWeights, locateFrozenTensors])
    await expect(read(folder, huge)).rejects.toThrow(/weights in float32: take 6\d{3}\.\d GB where .* are available/)
})

test('weights of other tensors or other bits are not the same', () => {
  const weights = tinyWeights()
  const changed = copyWeights(weights)
  expect(sameWeights(changed, weights)).toBe(true)
  tensorOf(changed, 'model.norm.weight').data[3] = 7
  expect(sameWeights(changed, weights)).toBe(false)
  expect(sameWeights(new Map(), weights)).toBe(false)
})
