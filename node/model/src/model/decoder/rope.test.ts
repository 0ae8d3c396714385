import { expect, test } from 'vitest'
import { ropeFrequencies } from './rope.ts'
import { tinyConfig } from './tinyDecoder.ts'

// Of transformers 5.23, `LlamaRotaryEmbedding(config).inv_freq`, in as many digits as tell a float32 from its neighbours.
test.each([
  {
    headDim: 12,
    ropeTheta: 999,
    ropeScaling: { type: 'linear', factor: 1.7 },
    frequencies: [0.58823526, 0.18604735, 0.058843147, 0.018610941, 0.0058862767, 0.0018617151],
  },
  {
    headDim: 16,
    ropeTheta: 5e5,
    ropeScaling: { type: 'llama3', factor: 2.3333, lowFreqFactor: 1.1, highFreqFactor: 3.8, originalMaxPositions: 333 },
    frequencies: [1, 0.19392276, 0.023224896, 0.0031254725, 0.00060610013, 0.00011753661, 2.2793021e-5, 4.420085e-6],
  },
  {
    headDim: 16,
    ropeTheta: 12345.678,
    ropeScaling: null,
    frequencies: [1, 0.30800703, 0.09486833, 0.029220112, 0.009000001, 0.0027720635, 0.000853815, 0.00026298102],
  },
] as const)('rotary frequencies are those of transformers to the last bit', ({ frequencies, ...rope }) => {
  expect([...ropeFrequencies({ ...tinyConfig, ...rope })]).toEqual(frequencies.map(Math.fround))
})
