import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GGUFValueType, serializeGgufMetadata } from '@huggingface/gguf'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import type { Weights } from '../decoder/weights.ts'

/** A GGUF file to write, perhaps after damaging it. For tests. */
export interface TestGguf {
  metadata: Record<string, { value: unknown; type: GGUFValueType; subType?: GGUFValueType }>
  tensors: { name: string; shape: number[]; type: number; bytes: Uint8Array; offset?: number }[]
}

const golden = join(import.meta.dirname, '../golden/tokenizers')
const ALIGNMENT = 32

export const text = (value: string) => ({ value, type: GGUFValueType.STRING })
export const whole = (value: number) => ({ value, type: GGUFValueType.UINT32 })
export const real = (value: number) => ({ value, type: GGUFValueType.FLOAT32 })
export const flag = (value: boolean) => ({ value, type: GGUFValueType.BOOL })
export const texts = (value: string[]) => ({ value, type: GGUFValueType.ARRAY, subType: GGUFValueType.STRING })
export const wholes = (value: number[]) => ({ value, type: GGUFValueType.ARRAY, subType: GGUFValueType.INT32 })

/** A model with the tokenizer of a golden folder, named as llama.cpp names them, in float32. */
export function testGguf(config: DecoderConfig, weights: Weights, tokenizer: string, pre: string): TestGguf {
  const family = config.architecture
  const fields = {
    block_count: whole(config.layers),
    context_length: whole(config.maxPositions),
    embedding_length: whole(config.hiddenSize),
    feed_forward_length: whole(config.intermediateSize),
    'attention.head_count': whole(config.heads),
    'attention.head_count_kv': whole(config.kvHeads),
    'attention.key_length': whole(config.headDim),
    'attention.value_length': whole(config.headDim),
    'attention.layer_norm_rms_epsilon': real(config.rmsNormEps),
    'rope.freq_base': real(config.ropeTheta),
    'rope.dimension_count': whole(config.headDim),
  }
  return {
    metadata: {
      'general.architecture': text(family),
      ...Object.fromEntries(Object.entries(fields).map(([key, value]) => [`${family}.${key}`, value])),
      ...tokenizerFields(tokenizer, pre, config.vocabSize),
    },
    tensors: [...weights].map(([name, { shape, data }]) => {
      const isPaired = family === 'llama' && /\.[qk]_proj\./.test(name)
      const ordered = isPaired ? paired(data, config.headDim, shape.length === 1 ? 1 : (shape[1] as number)) : data
      return { name: ggufName(name), shape: [...shape], type: 0, bytes: new Uint8Array(ordered.buffer) }
    }),
  }
}

export function encodeGguf({ metadata, tensors }: TestGguf): Buffer {
  const typed = {
    version: { value: 3, type: GGUFValueType.UINT32 },
    tensor_count: { value: BigInt(tensors.length), type: GGUFValueType.UINT64 },
    kv_count: { value: BigInt(Object.keys(metadata).length), type: GGUFValueType.UINT64 },
    ...metadata,
  }
  const parts: Uint8Array[] = [serializeGgufMetadata(typed as never, { alignment: 1 })]
  let next = 0
  for (const { name, shape, type, bytes, offset } of tensors) {
    const label = Buffer.from(name)
    const numbers = [u64(label.length), label, u32(shape.length), ...shape.toReversed().map(u64), u32(type)]
    parts.push(...numbers, u64(offset ?? next))
    next += bytes.length + padding(bytes.length)
  }
  parts.push(Buffer.alloc(padding(parts.reduce((sum, part) => sum + part.length, 0))))
  for (const { bytes } of tensors) parts.push(bytes, Buffer.alloc(padding(bytes.length)))
  return Buffer.concat(parts)
}

/** Tokens past those of the tokenizer are unused, as converters pad vocabularies. */
function tokenizerFields(tokenizer: string, pre: string, vocabSize: number): TestGguf['metadata'] {
  const read = (name: string) => readFileSync(join(golden, tokenizer, name), 'utf8')
  const { added_tokens, model } = JSON.parse(read('tokenizer.json'))
  const config = JSON.parse(read('tokenizer_config.json'))
  const tokens = Array.from({ length: vocabSize }, (_, id) => `[PAD${id}]`)
  const kinds = tokens.map(() => 5)
  for (const [content, id] of Object.entries<number>(model.vocab)) [tokens[id], kinds[id]] = [content, 1]
  for (const { id, content, special } of added_tokens) [tokens[id], kinds[id]] = [content, special ? 3 : 4]
  const idOf = (name: { content: string } | string) =>
    whole(tokens.indexOf(typeof name === 'string' ? name : name.content))
  return {
    'tokenizer.ggml.model': text('gpt2'),
    'tokenizer.ggml.pre': text(pre),
    'tokenizer.ggml.tokens': texts(tokens),
    'tokenizer.ggml.token_type': wholes(kinds),
    'tokenizer.ggml.merges': texts(model.merges.map((pair: string | string[]) => [pair].flat().join(' '))),
    'tokenizer.ggml.eos_token_id': idOf(config.eos_token),
    ...(config.bos_token ? { 'tokenizer.ggml.bos_token_id': idOf(config.bos_token) } : {}),
    'tokenizer.chat_template': text(config.chat_template ?? read('chat_template.jinja')),
  }
}

/** Rows of each head as llama.cpp's converter orders them: `reshape(heads, 2, headDim / 2, width).swapaxes(1, 2)`. */
function paired(data: Float32Array, headDim: number, width: number): Float32Array {
  const half = headDim / 2
  const out = new Float32Array(data.length)
  for (let head = 0; head < data.length / (headDim * width); head++)
    for (let side = 0; side < 2; side++)
      for (let pair = 0; pair < half; pair++)
        for (let column = 0; column < width; column++)
          out[((head * half + pair) * 2 + side) * width + column] = data[
            ((head * 2 + side) * half + pair) * width + column
          ] as number
  return out
}

function ggufName(name: string): string {
  const renamed = [
    ['model.embed_tokens', 'token_embd'],
    ['model.norm', 'output_norm'],
    ['lm_head', 'output'],
    ['model.layers', 'blk'],
    ['input_layernorm', 'attn_norm'],
    ['post_attention_layernorm', 'ffn_norm'],
    ['self_attn.o_proj', 'attn_output'],
    ['self_attn.', 'attn_'],
    ['_proj', ''],
    ['mlp.', 'ffn_'],
  ] as const
  return renamed.reduce((result, [from, to]) => result.replace(from, to), name)
}

const padding = (length: number) => (ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT

function u32(x: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(x)
  return bytes
}

function u64(x: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(x))
  return bytes
}
