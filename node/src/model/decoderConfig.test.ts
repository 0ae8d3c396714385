import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatDecoderConfig, parseDecoderConfig, readDecoderConfig } from './decoderConfig.ts'
import { decoderWeightShapes, parameterCount } from './decoderWeights.ts'

/** Qwen/Qwen2.5-0.5B-Instruct, config.json. */
const qwen05 = {
  architectures: ['Qwen2ForCausalLM'],
  model_type: 'qwen2',
  hidden_act: 'silu',
  vocab_size: 151936,
  hidden_size: 896,
  num_hidden_layers: 24,
  num_attention_heads: 14,
  num_key_value_heads: 2,
  intermediate_size: 4864,
  rms_norm_eps: 1e-6,
  rope_theta: 1000000.0,
  tie_word_embeddings: true,
  max_position_embeddings: 32768,
  sliding_window: 32768,
  use_sliding_window: false,
  torch_dtype: 'bfloat16',
}

test('a published config is read, and gives the published number of parameters', () => {
  const config = parseDecoderConfig(qwen05)
  expect(config).toMatchObject({ heads: 14, kvHeads: 2, headDim: 64, ropeTheta: 1e6, tieWordEmbeddings: true })
  expect(parameterCount(config)).toBe(494_032_768)
  expect(decoderWeightShapes(config).get('model.layers.23.self_attn.k_proj.weight')).toEqual([128, 896])
})

test('what is written is read back as it was', () => {
  const config = { ...parseDecoderConfig(qwen05), headDim: 32, tieWordEmbeddings: false }
  expect(parseDecoderConfig(formatDecoderConfig(config))).toEqual(config)
})

test('the newer place of rope_theta is read too', () => {
  const { rope_theta, ...rest } = qwen05
  expect(parseDecoderConfig({ ...rest, rope_parameters: { rope_type: 'default', rope_theta: 5e5 } }).ropeTheta).toBe(
    5e5,
  )
})

test.each([
  ['model_type', { model_type: 'llama' }, 'only qwen2 is supported'],
  ['vocab_size', { vocab_size: 0 }, 'vocab_size'],
  ['num_key_value_heads', { num_key_value_heads: 4 }, '4 does not divide 14 heads'],
  ['head_dim', { head_dim: 63 }, '63 is not even'],
  ['rope_scaling', { rope_scaling: { type: 'yarn' } }, 'not supported'],
  ['use_sliding_window', { use_sliding_window: true }, 'not supported'],
  ['hidden_act', { hidden_act: 'gelu' }, 'only silu is supported'],
])('a config with a bad %s is refused by name', (field, change, message) => {
  const read = () => parseDecoderConfig({ ...qwen05, ...change }, 'some/config.json')
  expect(read).toThrow(`some/config.json: ${field}`)
  expect(read).toThrow(message)
})

test('a missing or broken file is named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waggle-config-'))
  try {
    await expect(readDecoderConfig(folder)).rejects.toMatchObject({ code: 'MODEL_FILE' })
    await writeFile(join(folder, 'config.json'), '{')
    await expect(readDecoderConfig(folder)).rejects.toThrow('is not JSON')
  } finally {
    await rm(folder, { recursive: true })
  }
})
