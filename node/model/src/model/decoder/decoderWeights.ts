import type { DecoderConfig } from './decoderConfig.ts'

/**
 * Every weight of a decoder: Hugging Face name and shape, matrices as [out, in], in a fixed order.
 */
export function decoderWeightShapes(config: DecoderConfig): Map<string, readonly number[]> {
  const shapes = new Map<string, readonly number[]>()
  shapes.set('model.embed_tokens.weight', [config.vocabSize, config.hiddenSize])
  for (let layer = 0; layer < config.layers; layer++) {
    for (const [name, shape] of layerWeightShapes(config)) shapes.set(`model.layers.${layer}.${name}`, shape)
  }
  shapes.set('model.norm.weight', [config.hiddenSize])
  if (!config.tieWordEmbeddings) shapes.set('lm_head.weight', [config.vocabSize, config.hiddenSize])
  return shapes
}

/** One layer's weights, by the part of their names that all layers share. */
function layerWeightShapes(config: DecoderConfig): [string, readonly number[]][] {
  const { hiddenSize: hidden, intermediateSize: inner, headDim } = config
  const [queries, keys] = [config.heads * headDim, config.kvHeads * headDim]
  const linear = (name: string, outputs: number, inputs: number, hasBias: boolean): [string, readonly number[]][] => [
    [`${name}.weight`, [outputs, inputs]],
    ...(hasBias ? [[`${name}.bias`, [outputs]] as [string, readonly number[]]] : []),
  ]
  const qkvBias = config.attentionBias !== 'none'
  return [
    ['input_layernorm.weight', [hidden]],
    ...linear('self_attn.q_proj', queries, hidden, qkvBias),
    ...linear('self_attn.k_proj', keys, hidden, qkvBias),
    ...linear('self_attn.v_proj', keys, hidden, qkvBias),
    ...linear('self_attn.o_proj', hidden, queries, config.attentionBias === 'all'),
    ...(config.queryKeyNorm ? (['q_norm', 'k_norm'] as const) : []).map((norm): [string, readonly number[]] => [
      `self_attn.${norm}.weight`,
      [headDim],
    ]),
    ['post_attention_layernorm.weight', [hidden]],
    ...linear('mlp.gate_proj', inner, hidden, config.mlpBias),
    ...linear('mlp.up_proj', inner, hidden, config.mlpBias),
    ...linear('mlp.down_proj', hidden, inner, config.mlpBias),
  ]
}

/** Number of parameters, a tied output layer counted once. */
export function parameterCount(config: DecoderConfig): number {
  let total = 0
  for (const shape of decoderWeightShapes(config).values()) total += shape.reduce((a, b) => a * b, 1)
  return total
}
