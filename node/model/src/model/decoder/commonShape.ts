import { type DecoderConfig, parseDecoderConfig } from './decoderConfig.ts'

/** Qwen2.5-0.5B: the default for timing. */
export const commonShape: DecoderConfig = parseDecoderConfig({
  model_type: 'qwen2',
  vocab_size: 151_936,
  hidden_size: 896,
  num_hidden_layers: 24,
  num_attention_heads: 14,
  num_key_value_heads: 2,
  intermediate_size: 4864,
  rms_norm_eps: 1e-6,
  rope_theta: 1e6,
  tie_word_embeddings: true,
  max_position_embeddings: 32_768,
})
