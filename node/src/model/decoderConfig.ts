import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ModelFileError } from './modelErrors.ts'

/** The shape of a decoder: everything that the graph needs to know beside the weights. */
export interface DecoderConfig {
  readonly architecture: 'qwen2'
  readonly vocabSize: number
  readonly hiddenSize: number
  readonly layers: number
  readonly heads: number
  /** Key and value heads; a divisor of `heads` (grouped-query attention, arXiv:2305.13245). */
  readonly kvHeads: number
  readonly headDim: number
  /** Width of the gated feed-forward layer. */
  readonly intermediateSize: number
  readonly rmsNormEps: number
  readonly ropeTheta: number
  /** True if the output layer is the embedding table. */
  readonly tieWordEmbeddings: boolean
  readonly maxPositions: number
}

const count = (max: number) => z.number().int().min(1).max(max)

// Bounds: wide enough for every published Qwen2 model, tight enough that a broken file cannot ask for all memory.
const huggingFaceConfig = z
  .object({
    model_type: z.literal('qwen2', 'only qwen2 is supported'),
    vocab_size: count(1_000_000),
    hidden_size: count(16_384),
    num_hidden_layers: count(256),
    num_attention_heads: count(256),
    num_key_value_heads: count(256).optional(),
    head_dim: count(1_024).nullish(),
    intermediate_size: count(131_072),
    rms_norm_eps: z.number().min(1e-12).max(1e-2).default(1e-6),
    rope_theta: z.number().min(1).max(1e9).optional(),
    rope_parameters: z.looseObject({ rope_theta: z.number().min(1).max(1e9).optional() }).nullish(),
    rope_scaling: z.null('scaled rotary positions are not supported').optional(),
    tie_word_embeddings: z.boolean().default(false),
    max_position_embeddings: count(10_000_000).default(32_768),
    hidden_act: z.literal('silu', 'only silu is supported').default('silu'),
    use_sliding_window: z.literal(false, 'sliding-window attention is not supported').default(false),
  })
  .transform((file, context): DecoderConfig => {
    const heads = file.num_attention_heads
    const kvHeads = file.num_key_value_heads ?? heads
    const headDim = file.head_dim ?? file.hidden_size / heads
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (heads % kvHeads) refuse('num_key_value_heads', `${kvHeads} does not divide ${heads} heads`)
    if (headDim % 2) refuse('head_dim', `${headDim} is not even, as rotary positions need`)
    return {
      architecture: 'qwen2',
      vocabSize: file.vocab_size,
      hiddenSize: file.hidden_size,
      layers: file.num_hidden_layers,
      heads,
      kvHeads,
      headDim,
      intermediateSize: file.intermediate_size,
      rmsNormEps: file.rms_norm_eps,
      ropeTheta: file.rope_theta ?? file.rope_parameters?.rope_theta ?? 10_000,
      tieWordEmbeddings: file.tie_word_embeddings,
      maxPositions: file.max_position_embeddings,
    }
  })

/**
 * Reads the parsed content of a Hugging Face `config.json`.
 *
 * @param source - what to call the file in an error.
 * @throws {ModelFileError} naming the field that is missing, out of bounds or not supported.
 */
export function parseDecoderConfig(content: unknown, source = 'config.json'): DecoderConfig {
  const parsed = huggingFaceConfig.safeParse(content)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new ModelFileError(source, issue?.path.join('.') || 'content', issue?.message ?? 'is not valid', {
    hint: 'Use the config.json of a Qwen2 model.',
    cause: parsed.error,
  })
}

/**
 * Reads `config.json` of a model's folder.
 *
 * @throws {ModelFileError} if the file is missing, is not JSON, or describes a model that is not supported.
 */
export async function readDecoderConfig(folder: string): Promise<DecoderConfig> {
  const path = join(folder, 'config.json')
  let content: unknown
  try {
    content = JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    const problem = cause instanceof SyntaxError ? 'is not JSON' : 'cannot be read'
    throw new ModelFileError(path, 'file', problem, { cause })
  }
  return parseDecoderConfig(content, path)
}

/** The content of a Hugging Face `config.json`, which transformers loads as Qwen2ForCausalLM. */
export function formatDecoderConfig(config: DecoderConfig): Record<string, unknown> {
  return {
    architectures: ['Qwen2ForCausalLM'],
    model_type: 'qwen2',
    hidden_act: 'silu',
    vocab_size: config.vocabSize,
    hidden_size: config.hiddenSize,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.kvHeads,
    // transformers' Qwen2 derives it unless told; told only where it differs.
    ...(config.headDim * config.heads === config.hiddenSize ? {} : { head_dim: config.headDim }),
    intermediate_size: config.intermediateSize,
    rms_norm_eps: config.rmsNormEps,
    rope_theta: config.ropeTheta,
    tie_word_embeddings: config.tieWordEmbeddings,
    max_position_embeddings: config.maxPositions,
    bos_token_id: 0,
    eos_token_id: 0,
    torch_dtype: 'bfloat16',
    use_sliding_window: false,
  }
}
