import { join } from 'node:path'
import { checkOptions, folderSchema } from '../checkOptions.ts'
import { readJsonFile } from '../files/jsonFile.ts'
import { ModelFileError } from '../modelErrors.ts'
import { type HuggingFaceConfig, huggingFaceConfig } from './huggingFaceConfig.ts'
import type { RopeScaling } from './rope.ts'

/** The families that can be read, by Hugging Face's `model_type`. */
export const architectures = ['qwen2', 'qwen3', 'llama'] as const
export type Architecture = (typeof architectures)[number]

/**
 * The shape of a decoder: everything that the graph needs to know besides the weights.
 *
 * The families differ only in these fields, so there is one decoder (`decoder.ts`).
 */
export interface DecoderConfig {
  readonly architecture: Architecture
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
  readonly ropeScaling: RopeScaling | null
  /** Matrices of attention that have a bias: queries, keys and values (Qwen2), or the output's too. */
  readonly attentionBias: 'none' | 'qkv' | 'all'
  /** Whether the feed-forward matrices have a bias. */
  readonly mlpBias: boolean
  /** Whether each head of queries and keys is normalised before it is rotated (Qwen3). */
  readonly queryKeyNorm: boolean
  /** True if the output layer is the embedding table. */
  readonly tieWordEmbeddings: boolean
  readonly maxPositions: number
  /** Tokens after which a completion ends, where config.json names some: kept, so that an exported model names them too. */
  readonly endTokens?: readonly number[]
}

/** Name of the output layer's weight: a tied one is the embedding. */
export const outputWeight = ({ tieWordEmbeddings }: DecoderConfig) =>
  tieWordEmbeddings ? 'model.embed_tokens.weight' : 'lm_head.weight'

/** Properties of a family that its config.json does not state. */
const familyTraits = {
  qwen2: { attentionBias: 'qkv', mlpBias: false, queryKeyNorm: false },
  qwen3: { attentionBias: 'none', mlpBias: false, queryKeyNorm: true },
  llama: { attentionBias: 'none', mlpBias: false, queryKeyNorm: false },
} as const satisfies Record<Architecture, Partial<DecoderConfig>>

/**
 * Reads the parsed content of a Hugging Face `config.json`.
 *
 * @param source - what to call the file in an error.
 * @throws {ModelFileError} naming the field that is missing, out of bounds or not supported.
 */
export function parseDecoderConfig(content: unknown, source = 'config.json'): DecoderConfig {
  const parsed = huggingFaceConfig.safeParse(content)
  if (parsed.success) return fromHuggingFace(parsed.data)
  const issue = parsed.error.issues[0]
  throw new ModelFileError(source, issue?.path.join('.') || 'content', issue?.message ?? 'is not valid', {
    hint: `Use the config.json of a model of one of these types: ${architectures.join(', ')}.`,
    cause: parsed.error,
  })
}

/**
 * Reads `config.json` of a model's folder.
 *
 * @throws {ModelFileError} if the file is missing, is not JSON, or describes a model that is not supported.
 */
export async function readDecoderConfig(folder: string): Promise<DecoderConfig> {
  checkOptions(folderSchema, folder, 'the folder of a model')
  const path = join(folder, 'config.json')
  return parseDecoderConfig(await readJsonFile(path), path)
}

function fromHuggingFace(file: HuggingFaceConfig): DecoderConfig {
  const traits = familyTraits[file.model_type]
  const biasEverywhere = file.model_type !== 'qwen2' && file.attention_bias
  return {
    architecture: file.model_type,
    vocabSize: file.vocab_size,
    hiddenSize: file.hidden_size,
    layers: file.num_hidden_layers,
    heads: file.num_attention_heads,
    kvHeads: file.num_key_value_heads,
    headDim: file.head_dim,
    intermediateSize: file.intermediate_size,
    rmsNormEps: file.rms_norm_eps,
    ...file.rope,
    attentionBias: biasEverywhere ? 'all' : traits.attentionBias,
    mlpBias: file.model_type === 'llama' && file.mlp_bias,
    queryKeyNorm: traits.queryKeyNorm,
    tieWordEmbeddings: file.tie_word_embeddings,
    maxPositions: file.max_position_embeddings,
    ...(file.end_tokens.length > 0 ? { endTokens: file.end_tokens } : {}),
  }
}

/** The content of a Hugging Face `config.json`, which transformers loads as a model for causal language modelling. */
export function formatDecoderConfig(config: DecoderConfig): Record<string, unknown> {
  const family = config.architecture
  const isQwen = family !== 'llama'
  // transformers derives it for Qwen2 and Llama by default; written only if it differs.
  const derived = family !== 'qwen3' && config.headDim * config.heads === config.hiddenSize
  return {
    architectures: [{ qwen2: 'Qwen2ForCausalLM', qwen3: 'Qwen3ForCausalLM', llama: 'LlamaForCausalLM' }[family]],
    model_type: family,
    hidden_act: 'silu',
    vocab_size: config.vocabSize,
    hidden_size: config.hiddenSize,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.kvHeads,
    ...(derived ? {} : { head_dim: config.headDim }),
    intermediate_size: config.intermediateSize,
    rms_norm_eps: config.rmsNormEps,
    rope_theta: config.ropeTheta,
    ...(config.ropeScaling ? { rope_scaling: formatScaling(config.ropeScaling) } : {}),
    ...(family === 'qwen2' ? {} : { attention_bias: config.attentionBias === 'all' }),
    ...(family === 'llama' ? { mlp_bias: config.mlpBias } : {}),
    tie_word_embeddings: config.tieWordEmbeddings,
    max_position_embeddings: config.maxPositions,
    bos_token_id: null, // said, because transformers' Llama would take 1 and 2 where nothing is
    eos_token_id: formatTokens(config.endTokens ?? []),
    ...(isQwen ? { use_sliding_window: false } : {}),
  }
}

function formatTokens(tokens: readonly number[]): number | readonly number[] | null {
  return tokens.length > 1 ? tokens : (tokens[0] ?? null)
}

function formatScaling(scaling: RopeScaling): Record<string, unknown> {
  if (scaling.type === 'linear') return { rope_type: 'linear', factor: scaling.factor }
  return {
    rope_type: 'llama3',
    factor: scaling.factor,
    low_freq_factor: scaling.lowFreqFactor,
    high_freq_factor: scaling.highFreqFactor,
    original_max_position_embeddings: scaling.originalMaxPositions,
  }
}
