import { z } from 'zod'
import type { RopeScaling } from './rope.ts'

const count = (max: number) => z.int().min(1).max(max)
const theta = z.number().min(1).max(1e12)
const factor = z.number().min(1).max(1e4)

/** `rope_parameters`, or `rope_scaling` as it was called before transformers 5; its type was called `type` once. */
const ropeSchema = z
  .looseObject({
    rope_type: z.string().optional(),
    type: z.string().optional(),
    rope_theta: theta.nullish(),
    factor: factor.optional(),
    low_freq_factor: factor.optional(),
    high_freq_factor: factor.optional(),
    original_max_position_embeddings: count(1 << 20).optional(),
    partial_rotary_factor: z.literal(1, 'rotating a part of each head is not supported').optional(),
    full_attention: z.undefined('rotary positions of their own for each kind of layer are not supported').optional(),
  })
  .nullish()

/** One token, some, or none: Hugging Face's `eos_token_id`. */
export const endTokensSchema = z
  .union([z.int(), z.array(z.int()).max(64)], 'must be a token id or a list of some')
  .nullish()

/** The fields of a Hugging Face `config.json` that determine the computation. Others (token ids, dtypes, dropout) are ignored. */
const fields = z.object({
  model_type: z.enum(['qwen2', 'qwen3', 'llama'], 'must be qwen2, qwen3 or llama'),
  // Bounds: wide enough for every published model of these families, tight enough that a broken file cannot ask for all memory.
  vocab_size: count(1_000_000),
  hidden_size: count(16_384),
  num_hidden_layers: count(256),
  num_attention_heads: count(256),
  num_key_value_heads: count(256).nullish(),
  head_dim: count(1_024).nullish(),
  intermediate_size: count(131_072),
  rms_norm_eps: z.number().min(1e-12).max(1e-2).default(1e-6),
  rope_theta: theta.nullish(),
  rope_parameters: ropeSchema,
  rope_scaling: ropeSchema,
  attention_bias: z.boolean().default(false),
  mlp_bias: z.boolean().default(false),
  tie_word_embeddings: z.boolean().default(false),
  max_position_embeddings: count(1 << 20).optional(),
  original_max_position_embeddings: count(1 << 20).nullish(),
  partial_rotary_factor: z.literal(1, 'rotating a part of each head is not supported').nullish(),
  hidden_act: z.literal('silu', 'only silu is supported').default('silu'),
  use_sliding_window: z.literal(false, 'sliding-window attention is not supported').default(false),
  layer_types: z.array(z.literal('full_attention', 'only full attention is supported')).nullish(),
  eos_token_id: endTokensSchema,
  quantization_config: z.null('quantised files are not supported; use the float weights').optional(),
})

/**
 * Checks a `config.json` and fills in what transformers would: key heads, the width of a head, rotary positions.
 *
 * If a value occurs twice, the one that transformers uses wins: `rope_scaling`, if it is not empty, before `rope_parameters`; a theta inside
 * of them before one outside, but the original positions outside before those inside.
 *
 * @see transformers, `RotaryEmbeddingConfigMixin`
 */
export const huggingFaceConfig = fields.transform((file, context) => {
  const heads = file.num_attention_heads
  const kvHeads = file.num_key_value_heads ?? heads
  const headDim = file.head_dim ?? (file.model_type === 'qwen3' ? 128 : file.hidden_size / heads)
  const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
  if (heads % kvHeads) refuse('num_key_value_heads', `${kvHeads} does not divide ${heads} heads`)
  if (!Number.isInteger(headDim)) refuse('num_attention_heads', `${heads} does not divide ${file.hidden_size}`)
  else if (headDim % 2) refuse('head_dim', `${headDim} is not even, as rotary positions need`)
  const ropeField = Object.keys(file.rope_scaling ?? {}).length > 0 ? 'rope_scaling' : 'rope_parameters'
  const rope = file[ropeField]
  const maxPositions = file.max_position_embeddings ?? (file.model_type === 'llama' ? 2_048 : 32_768)
  const originalMaxPositions =
    file.original_max_position_embeddings ?? rope?.original_max_position_embeddings ?? maxPositions
  const ropeScaling = scalingOf(rope, originalMaxPositions, message => refuse(ropeField, message))
  const ropeTheta = rope?.rope_theta ?? file.rope_theta ?? 10_000
  return {
    ...file,
    num_key_value_heads: kvHeads,
    head_dim: headDim,
    max_position_embeddings: maxPositions,
    end_tokens: [file.eos_token_id ?? []].flat(),
    rope: { ropeTheta, ropeScaling },
  }
})

export type HuggingFaceConfig = z.infer<typeof huggingFaceConfig>

function scalingOf(
  rope: z.infer<typeof ropeSchema>,
  originalMaxPositions: number,
  refuse: (message: string) => void,
): RopeScaling | null {
  const type = rope?.rope_type ?? rope?.type ?? 'default'
  if (!rope || type === 'default') return null
  if (type !== 'linear' && type !== 'llama3') {
    refuse(`scaling of type ${type} is not supported; linear and llama3 are`)
    return null
  }
  if (rope.factor === undefined) refuse(`scaling of type ${type} needs a factor`)
  const factor = rope.factor ?? 1
  if (type === 'linear') return { type, factor }
  const { low_freq_factor: lowFreqFactor, high_freq_factor: highFreqFactor } = rope
  if (lowFreqFactor === undefined || highFreqFactor === undefined || lowFreqFactor >= highFreqFactor) {
    refuse('scaling of type llama3 needs a low_freq_factor below its high_freq_factor')
    return null
  }
  return { type, factor, lowFreqFactor, highFreqFactor, originalMaxPositions }
}
