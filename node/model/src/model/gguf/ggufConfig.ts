import { z } from 'zod'
import { type Architecture, architectures, type DecoderConfig, parseDecoderConfig } from '../decoder/decoderConfig.ts'
import { ropeFrequencies } from '../decoder/rope.ts'
import { ModelFileError } from '../modelErrors.ts'
import { ROPE_FACTORS } from './ggufTensors.ts'
import type { GgufFile } from './readGguf.ts'

const number = z.number('must be a number')
const count = z
  .int('must be a whole number, the same for all layers')
  .min(1)
  .max(1 << 20)

/** Fields under the architecture's name. Others do not change what is computed. */
const shapeSchema = z.object({
  block_count: count,
  context_length: count,
  embedding_length: count,
  feed_forward_length: count,
  'attention.head_count': count,
  'attention.head_count_kv': count.optional(),
  'attention.layer_norm_rms_epsilon': number,
  'attention.key_length': count.optional(),
  'attention.value_length': count.optional(),
  'attention.sliding_window': z.literal(0, 'sliding-window attention is not supported').optional(),
  'rope.dimension_count': count.optional(),
  'rope.freq_base': number.optional(),
  'rope.scale_linear': number.optional(),
  'rope.scaling.type': z.enum(['none', 'linear'], 'must be none or linear').optional(),
  'rope.scaling.factor': number.optional(),
  expert_count: z.literal(0, 'mixtures of experts are not supported').optional(),
})

/** Scaling of Llama 3.1 and later; a GGUF keeps only the resulting factors. */
const LLAMA3 = { rope_type: 'llama3', low_freq_factor: 1, high_freq_factor: 4, original_max_position_embeddings: 8192 }

/**
 * The configuration of the model in a GGUF file.
 *
 * @param ropeFactors - values of `rope_freqs.weight`, if it is there.
 * @param endTokens - ids that end a completion.
 * @throws {ModelFileError} naming the file and the field that is missing, out of bounds or not supported.
 */
export function ggufConfig(
  { path, metadata, tensors }: GgufFile,
  ropeFactors: Float32Array | null,
  endTokens: readonly number[],
): DecoderConfig {
  const family = metadata['general.architecture']
  if (!architectures.includes(family as Architecture))
    throw new ModelFileError(path, 'general.architecture', `must be one of ${architectures.join(', ')}`, {
      hint: 'Waggle runs models of the Llama, Qwen2 and Qwen3 families.',
    })
  const ofFamily = Object.entries(metadata).filter(([key]) => key.startsWith(`${family}.`))
  const parsed = shapeSchema.safeParse(
    Object.fromEntries(ofFamily.map(([key, x]) => [key.slice(`${family}.`.length), x])),
  )
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const field = `${family}.${issue?.path.join('.')}`
    const problem = Object.hasOwn(metadata, field) ? issue?.message : 'is missing'
    throw new ModelFileError(path, field, problem ?? 'is malformed')
  }
  const shape = parsed.data
  const heads = shape['attention.head_count']
  const headDim = shape['attention.key_length'] ?? shape.embedding_length / heads
  for (const key of ['attention.value_length', 'rope.dimension_count'] as const)
    if ((shape[key] ?? headDim) !== headDim)
      throw new ModelFileError(path, `${family}.${key}`, `is ${shape[key]}, not the ${headDim} of each head`)
  const embedding = tensors.get('token_embd.weight')
  if (!embedding) throw new ModelFileError(path, 'token_embd.weight', 'is missing')
  const base = {
    model_type: family,
    vocab_size: embedding.shape[0],
    hidden_size: shape.embedding_length,
    num_hidden_layers: shape.block_count,
    num_attention_heads: heads,
    num_key_value_heads: shape['attention.head_count_kv'] ?? heads,
    head_dim: headDim,
    intermediate_size: shape.feed_forward_length,
    rms_norm_eps: shape['attention.layer_norm_rms_epsilon'],
    rope_theta: shape['rope.freq_base'] ?? 10_000,
    attention_bias: tensors.has('blk.0.attn_output.bias'),
    mlp_bias: tensors.has('blk.0.ffn_gate.bias'),
    tie_word_embeddings: !tensors.has('output.weight'),
    max_position_embeddings: shape.context_length,
    ...(endTokens.length > 0 ? { eos_token_id: endTokens } : {}),
  }
  // Old files have a factor alone, or `scale_linear`: llama.cpp takes the type of both for linear.
  const type = shape['rope.scaling.type']
  const factor = shape['rope.scaling.factor'] ?? shape['rope.scale_linear']
  if (type === 'linear' && factor === undefined)
    throw new ModelFileError(path, `${family}.rope.scaling.factor`, 'is missing')
  // It takes a factor of 0 for none.
  const isPlain = type === 'none' || factor === undefined || factor === 0 || factor === 1
  if (!ropeFactors)
    return parseDecoderConfig(isPlain ? base : { ...base, rope_scaling: { rope_type: 'linear', factor } }, path)
  const scaled = parseDecoderConfig({ ...base, rope_scaling: { ...LLAMA3, factor: Math.max(1, ...ropeFactors) } }, path)
  checkFactors(path, scaled, ropeFactors)
  return scaled
}

/** @throws {ModelFileError} if the factors are not those of Llama 3's scaling, which is all that config.json can say. */
function checkFactors(path: string, config: DecoderConfig, factors: Float32Array): void {
  const scaled = ropeFrequencies(config)
  const plain = ropeFrequencies({ ...config, ropeScaling: null })
  const isSame = (factor: number, i: number) =>
    Math.abs(factor * ((scaled[i] as number) / (plain[i] as number)) - 1) < 1e-4
  if (factors.length === plain.length && factors.every(isSame)) return
  throw new ModelFileError(path, ROPE_FACTORS, 'are not those of Llama 3.1’s scaling of rotary positions')
}
