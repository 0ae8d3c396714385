import { expect, test } from 'vitest'
import { randomStream } from '#base/random.ts'
import { decoderFeeds, lengthBatches, shuffledBatches } from './batch.ts'
import { initWeights } from './initWeights.ts'
import { tinyConfig } from './tinyDecoder.ts'
import { hashWeights } from './weights.ts'

const bigints = (xs: number[]) => BigInt64Array.from(xs, BigInt)

test('sequences are padded on the right, and a scored token is asked of the position before it', () => {
  const { feeds, scored, paddedTokens } = decoderFeeds(tinyConfig, [
    { tokens: Int32Array.of(5, 6, 7, 8), scored: Int32Array.of(2, 3) },
    { tokens: Int32Array.of(9, 10), scored: Int32Array.of(1) },
  ])
  expect(feeds.ids).toEqual({ dtype: 'i64', shape: [2, 3], data: bigints([5, 6, 7, 9, 0, 0]) })
  expect(feeds.rows?.data).toEqual(bigints([1, 2, 3]))
  expect(feeds.targets?.data).toEqual(bigints([7, 8, 10]))
  expect([scored, paddedTokens]).toEqual([3, 6])
})

test('tokens and positions that the model does not have are refused', () => {
  const feeds = (tokens: number[], scored: number[]) => () =>
    decoderFeeds(tinyConfig, [{ tokens: Int32Array.from(tokens), scored: Int32Array.from(scored) }])
  expect(feeds([1, tinyConfig.vocabSize], [1])).toThrow('token 24 in a vocabulary of 24')
  expect(feeds([1, 2], [0])).toThrow('position 0 of 2 tokens')
  expect(feeds([1, 2, 3], [2, 1])).toThrow('position 1 is scored after 2')
  expect(feeds([1, 2], [])).toThrow('no token of the batch is scored')
  expect(feeds(Array(80).fill(1), [1])).toThrow('79 tokens for a model of 64 positions')
})

test('batches by length hold everything once, within the limit, and waste little', () => {
  const lengths = Array.from({ length: 50 }, (_, i) => 10 + ((i * 37) % 90))
  const batches = lengthBatches(lengths, 400)
  expect(batches.flat().sort((a, b) => a - b)).toEqual(lengths.map((_, i) => i))
  const padded = batches.map(batch => batch.length * Math.max(...batch.map(i => lengths[i] as number)))
  for (const tokens of padded) expect(tokens).toBeLessThanOrEqual(400)
  expect(padded.reduce((a, b) => a + b)).toBeLessThan(1.15 * lengths.reduce((a, b) => a + b))
  expect(lengthBatches([1000], 400)).toEqual([[0]])
})

test('shuffled batches hold everything once and follow the stream', () => {
  const lengths = Array.from({ length: 100 }, (_, i) => 10 + ((i * 37) % 90))
  const make = (seed: string) => shuffledBatches(lengths, 8, randomStream('batches', seed))
  expect(
    make('a')
      .flat()
      .sort((x, y) => x - y),
  ).toEqual(lengths.map((_, i) => i))
  expect(make('a')).toEqual(make('a'))
  expect(make('a')).not.toEqual(make('b'))
})

test('fresh weights follow the seed, with ones in norms, zeros in biases and the stated deviations', () => {
  const config = { ...tinyConfig, hiddenSize: 64, headDim: 16 }
  const weights = initWeights(config, 'seed')
  expect(hashWeights(weights)).toBe(hashWeights(initWeights(config, 'seed')))
  expect(hashWeights(weights)).not.toBe(hashWeights(initWeights(config, 'another')))
  const deviation = (name: string) => {
    const data = weights.get(name)?.data as Float32Array
    return Math.sqrt(data.reduce((sum, x) => sum + x * x, 0) / data.length)
  }
  expect(deviation('model.norm.weight')).toBe(1)
  expect(deviation('model.layers.0.self_attn.q_proj.bias')).toBe(0)
  expect(deviation('model.embed_tokens.weight')).toBeCloseTo(0.02, 2)
  expect(deviation('model.layers.0.self_attn.q_proj.weight')).toBeCloseTo(0.1, 2)
  expect(deviation('model.layers.1.self_attn.o_proj.weight')).toBeCloseTo(0.05, 2)
})
