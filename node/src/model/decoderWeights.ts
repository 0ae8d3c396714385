import type { DecoderConfig } from './decoderConfig.ts'

/**
 * Every weight of a decoder: Hugging Face name and shape, matrices as [out, in], in a fixed order.
 */
export function decoderWeightShapes(config: DecoderConfig): Map<string, readonly number[]> {
  const { hiddenSize: hidden, intermediateSize: inner } = config
  const [queries, keys] = [config.heads * config.headDim, config.kvHeads * config.headDim]
  const shapes = new Map<string, readonly number[]>([['model.embed_tokens.weight', [config.vocabSize, hidden]]])
  for (let layer = 0; layer < config.layers; layer++) {
    const prefix = `model.layers.${layer}.`
    const entries: [string, readonly number[]][] = [
      ['input_layernorm.weight', [hidden]],
      ['self_attn.q_proj.weight', [queries, hidden]],
      ['self_attn.q_proj.bias', [queries]],
      ['self_attn.k_proj.weight', [keys, hidden]],
      ['self_attn.k_proj.bias', [keys]],
      ['self_attn.v_proj.weight', [keys, hidden]],
      ['self_attn.v_proj.bias', [keys]],
      ['self_attn.o_proj.weight', [hidden, queries]],
      ['post_attention_layernorm.weight', [hidden]],
      ['mlp.gate_proj.weight', [inner, hidden]],
      ['mlp.up_proj.weight', [inner, hidden]],
      ['mlp.down_proj.weight', [hidden, inner]],
    ]
    for (const [name, shape] of entries) shapes.set(prefix + name, shape)
  }
  shapes.set('model.norm.weight', [hidden])
  if (!config.tieWordEmbeddings) shapes.set('lm_head.weight', [config.vocabSize, hidden])
  return shapes
}

/** Number of parameters, a tied output layer counted once. */
export function parameterCount(config: DecoderConfig): number {
  let total = 0
  for (const shape of decoderWeightShapes(config).values()) total += shape.reduce((a, b) => a * b, 1)
  return total
}
