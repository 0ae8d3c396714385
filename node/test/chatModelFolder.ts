import { existsSync } from 'node:fs'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatDecoderConfig, parseDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { initWeights } from '#model/decoder/initWeights.ts'
import { writeWeights } from '#model/decoder/weights.ts'

const tokenizers = join(import.meta.dirname, '../model/src/model/golden/tokenizers')

/**
 * A Qwen2 model of random weights, with tokenizer and chat template: a folder as it comes from the hub.
 *
 * @param options.says - tokens that it hardly says anything but: all embeddings share a direction, in which theirs are longer.
 * @param options.layers - of the decoder.
 */
export async function writeChatModel(
  folder: string,
  seed: string,
  {
    says = [],
    tokenizer = 'qwen',
    layers = 2,
  }: { says?: readonly number[]; tokenizer?: 'qwen' | 'llama' | 'deepseek'; layers?: number } = {},
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const config = parseDecoderConfig({
    model_type: 'qwen2',
    // A few more than the tokenizer has, as published models do.
    vocab_size: 448,
    hidden_size: 32,
    num_hidden_layers: layers,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    intermediate_size: 64,
    max_position_embeddings: 4096,
    tie_word_embeddings: true,
  })
  await writeFile(join(folder, 'config.json'), JSON.stringify(formatDecoderConfig(config)))
  const weights = initWeights(config, seed)
  const { data, shape } = weights.get('model.embed_tokens.weight') ?? { data: [], shape: [] }
  const [tokens = 0, width = 0] = shape
  for (let token = 0; says.length > 0 && token < tokens; token++) data[token * width] = says.includes(token) ? 4 : 1
  await writeWeights(join(folder, 'model.safetensors'), weights, 'BF16')
  for (const name of ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja'])
    if (existsSync(join(tokenizers, tokenizer, name))) await cp(join(tokenizers, tokenizer, name), join(folder, name))
}
