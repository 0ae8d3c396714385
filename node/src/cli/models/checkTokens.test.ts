import { expect, test } from 'vitest'
import { tinyConfig } from '#model/decoder/tinyDecoder.ts'
import { checkTokens } from './checkTokens.ts'

test('tokens that do not fit a model are refused by the option that gave them', () => {
  const many = new Int32Array(tinyConfig.maxPositions)
  expect(() => checkTokens(tinyConfig, many)).not.toThrow()
  expect(() => checkTokens(tinyConfig, many, 'tokens', 1)).toThrow('--tokens: 64 tokens are too many')
  expect(() => checkTokens(tinyConfig, many, 'prompt', 1)).toThrow('--prompt: 64 tokens are too many')
  expect(() => checkTokens(tinyConfig, Int32Array.of(24))).toThrow('--tokens: 24 is not in the vocabulary of 24')
})
