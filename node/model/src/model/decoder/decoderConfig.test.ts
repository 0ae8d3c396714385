import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatDecoderConfig, parseDecoderConfig, readDecoderConfig } from './decoderConfig.ts'
import { decoderWeightShapes, parameterCount } from './decoderWeights.ts'
import { tinyFamilies } from './tinyDecoder.ts'

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

/** Qwen/Qwen3-0.6B, config.json. */
const qwen06 = {
  ...qwen05,
  model_type: 'qwen3',
  attention_bias: false,
  head_dim: 128,
  hidden_size: 1024,
  intermediate_size: 3072,
  num_attention_heads: 16,
  num_hidden_layers: 28,
  num_key_value_heads: 8,
  max_position_embeddings: 40960,
  rope_scaling: null,
  sliding_window: null,
}

/** deepseek-ai/deepseek-coder-1.3b-instruct, config.json. */
const deepseek13 = {
  model_type: 'llama',
  hidden_act: 'silu',
  hidden_size: 2048,
  intermediate_size: 5504,
  max_position_embeddings: 16384,
  num_attention_heads: 16,
  num_hidden_layers: 24,
  num_key_value_heads: 16,
  pretraining_tp: 1,
  rms_norm_eps: 1e-6,
  rope_scaling: { factor: 4.0, type: 'linear' },
  rope_theta: 100000,
  tie_word_embeddings: false,
  torch_dtype: 'bfloat16',
  vocab_size: 32256,
}

test('Qwen3 has head norms, its own head width and no biases', () => {
  const config = parseDecoderConfig(qwen06)
  expect(config).toMatchObject({ headDim: 128, queryKeyNorm: true, attentionBias: 'none', ropeScaling: null })
  expect(parameterCount(config)).toBe(596_049_920)
  const four = { hidden_size: 2560, intermediate_size: 9728, num_attention_heads: 32, num_hidden_layers: 36 }
  expect(parameterCount(parseDecoderConfig({ ...qwen06, ...four }))).toBe(4_022_468_096)
  const shapes = decoderWeightShapes(config)
  expect(shapes.get('model.layers.0.self_attn.q_norm.weight')).toEqual([128])
  expect(shapes.get('model.layers.0.self_attn.o_proj.weight')).toEqual([1024, 2048])
  expect(shapes.has('model.layers.0.self_attn.q_proj.bias')).toBe(false)
  const { head_dim, ...unsaid } = qwen06
  expect(parseDecoderConfig(unsaid).headDim).toBe(128)
})

test('Llama has scaled rotary positions, and biases where it says so', () => {
  const config = parseDecoderConfig(deepseek13)
  expect(config).toMatchObject({ ropeTheta: 1e5, ropeScaling: { type: 'linear', factor: 4 }, headDim: 128 })
  expect(parameterCount(config)).toBe(1_346_471_936)
  const biased = decoderWeightShapes(parseDecoderConfig({ ...deepseek13, attention_bias: true, mlp_bias: true }))
  expect(biased.get('model.layers.23.self_attn.o_proj.bias')).toEqual([2048])
  expect(biased.get('model.layers.23.mlp.down_proj.bias')).toEqual([2048])
  const { num_key_value_heads, ...unsaid } = deepseek13
  expect(parseDecoderConfig(unsaid).kvHeads).toBe(16)
})

test.each(Object.entries(tinyFamilies))('%s is read back as it was written', (_, config) => {
  expect(parseDecoderConfig(formatDecoderConfig(config))).toEqual(config)
  const ended = { ...config, headDim: 32, endTokens: [5, 7] }
  expect(parseDecoderConfig(formatDecoderConfig(ended))).toEqual(ended)
  expect(formatDecoderConfig({ ...config, endTokens: [5] }).eos_token_id).toBe(5)
})

test('rotary positions are read in the older and the newer spelling', () => {
  const { rope_theta, rope_scaling, ...rest } = deepseek13
  const rope = (fields: object) => parseDecoderConfig({ ...rest, ...fields })
  const linear = { ropeTheta: 5e5, ropeScaling: { type: 'linear', factor: 2 } }
  expect(rope({ rope_parameters: { rope_type: 'linear', factor: 2, rope_theta: 5e5 } })).toMatchObject(linear)
  expect(rope({ rope_scaling: { rope_type: 'linear', factor: 2 }, rope_theta: 5e5 })).toMatchObject(linear)
  expect(rope({ rope_parameters: { rope_type: 'default', rope_theta: 5e5 }, rope_theta: 1e4 })).toMatchObject({
    ropeTheta: 5e5,
    ropeScaling: null,
  })
  const llama3 = { rope_type: 'llama3', factor: 32, low_freq_factor: 1, high_freq_factor: 4 }
  expect(rope({ rope_scaling: llama3 }).ropeScaling).toEqual({
    type: 'llama3',
    factor: 32,
    lowFreqFactor: 1,
    highFreqFactor: 4,
    originalMaxPositions: 16_384,
  })
  const outside = { rope_scaling: { ...llama3, original_max_position_embeddings: 512 } }
  expect(rope(outside).ropeScaling).toMatchObject({ originalMaxPositions: 512 })
  expect(rope({ ...outside, original_max_position_embeddings: 64 }).ropeScaling).toMatchObject({
    originalMaxPositions: 64,
  })
  expect(
    rope({ rope_scaling: {}, rope_parameters: { rope_type: 'linear', factor: 2, rope_theta: 5e5 } }),
  ).toMatchObject(linear)
})

test.each([
  ['model_type', { model_type: 'mamba' }, 'must be qwen2, qwen3 or llama'],
  ['vocab_size', { vocab_size: 0 }, 'vocab_size'],
  ['hidden_size', { hidden_size: 2 ** 40 }, 'hidden_size'],
  ['max_position_embeddings', { max_position_embeddings: 2 ** 40 }, 'max_position_embeddings'],
  ['num_attention_heads', { num_attention_heads: 10 }, '10 does not divide 896'],
  ['num_key_value_heads', { num_key_value_heads: 4 }, '4 does not divide 14 heads'],
  ['head_dim', { head_dim: 63 }, '63 is not even'],
  ['rope_theta', { rope_theta: 0 }, 'rope_theta'],
  ['rope_theta', { rope_theta: -1e6 }, 'rope_theta'],
  ['rope_theta', { rope_theta: 1e300 }, 'rope_theta'],
  ['rope_scaling', { rope_scaling: { type: 'linear', factor: 0 } }, 'factor'],
  ['rope_scaling', { rope_scaling: { type: 'linear', factor: -2 } }, 'factor'],
  ['rope_scaling', { rope_scaling: { type: 'linear', factor: 1e300 } }, 'factor'],
  [
    'rope_scaling',
    { rope_scaling: { rope_type: 'llama3', factor: 2, low_freq_factor: 4, high_freq_factor: 4 } },
    'needs a low_freq_factor below its high_freq_factor',
  ],
  [
    'rope_scaling',
    {
      rope_scaling: {
        ...{ rope_type: 'llama3', factor: 2, low_freq_factor: 1, high_freq_factor: 4 },
        original_max_position_embeddings: 0,
      },
    },
    'original_max_position_embeddings',
  ],
  ['rope_scaling', { rope_scaling: [] }, 'rope_scaling'],
  ['rms_norm_eps', { rms_norm_eps: 0 }, 'rms_norm_eps'],
  ['num_hidden_layers', { num_hidden_layers: 1e9 }, 'num_hidden_layers'],
  ['tie_word_embeddings', { tie_word_embeddings: 'yes' }, 'tie_word_embeddings'],
  ['rope_scaling', { rope_scaling: { type: 'yarn', factor: 2 } }, 'type yarn is not supported'],
  ['rope_scaling', { rope_scaling: { type: 'linear' } }, 'needs a factor'],
  ['rope_parameters', { rope_parameters: { rope_type: 'llama3', factor: 2 } }, 'needs a low_freq_factor'],
  ['rope_parameters.partial_rotary_factor', { rope_parameters: { partial_rotary_factor: 0.5 } }, 'not supported'],
  ['rope_parameters.full_attention', { rope_parameters: { full_attention: { rope_theta: 5e5 } } }, 'not supported'],
  ['layer_types.1', { layer_types: ['full_attention', 'sliding_attention'] }, 'only full attention'],
  ['eos_token_id', { eos_token_id: '</s>' }, 'must be a token id or a list of some'],
  ['quantization_config', { quantization_config: { bits: 4 } }, 'use the float weights'],
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
    await writeFile(join(folder, 'config.json'), JSON.stringify({ ...qwen05, padding: 'x'.repeat(10_000_000) }))
    await expect(readDecoderConfig(folder)).rejects.toThrow(/config.json: file: has \d+ bytes, more than 1048576/)
  } finally {
    await rm(folder, { recursive: true })
  }
})
