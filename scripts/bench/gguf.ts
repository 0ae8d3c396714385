import type { DecoderConfig } from '../../node/model/src/model/decoder/decoderConfig.ts'

// GGUF version 3, as far as a Qwen2 model needs it: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md

const ALIGNMENT = 32
const TYPE = { u32: 4, f32: 6, string: 8, array: 9 } as const
const F32 = 0
const Q8_0 = 8
/** Elements that share a scale in q8_0, and their bytes: a half-precision scale and 32 codes. */
const BLOCK = 32
const BLOCK_BYTES = 34

type Shapes = readonly (readonly [string, readonly number[]])[]

/** Everything before the data, padded to its start. Tensors follow in the order given, each a whole number of 32 bytes. */
export function ggufHeader(config: DecoderConfig, shapes: Shapes): Buffer {
  const entries = metadata(config)
  const parts = [Buffer.from('GGUF'), u32(3), u64(shapes.length), u64(entries.length), ...entries]
  let offset = 0
  for (const [name, shape] of shapes) {
    const elements = shape.reduce((a, b) => a * b, 1)
    const matrix = shape.length === 2
    const dims = [...shape].reverse().map(u64) // innermost first
    parts.push(text(ggufName(name)), u32(dims.length), ...dims, u32(matrix ? Q8_0 : F32), u64(offset))
    offset += matrix ? (elements / BLOCK) * BLOCK_BYTES : elements * 4
  }
  const header = Buffer.concat(parts)
  return Buffer.concat([header, Buffer.alloc((ALIGNMENT - (header.length % ALIGNMENT)) % ALIGNMENT)])
}

/** Rounds floats to q8_0: blocks of 32 with one scale, the largest magnitude over 127. */
export function q8Blocks(values: Float32Array): Uint8Array {
  const out = Buffer.alloc((values.length / BLOCK) * BLOCK_BYTES)
  for (let block = 0; block < values.length / BLOCK; block++) {
    let most = 0
    for (let i = 0; i < BLOCK; i++) most = Math.max(most, Math.abs(values[block * BLOCK + i] as number))
    const scale = most / 127
    out.writeUInt16LE(halfBits(scale), block * BLOCK_BYTES)
    for (let i = 0; i < BLOCK; i++) {
      const code = scale === 0 ? 0 : Math.round((values[block * BLOCK + i] as number) / scale)
      out.writeInt8(code, block * BLOCK_BYTES + 2 + i)
    }
  }
  return out
}

/** llama.cpp's name of a tensor. */
export function ggufName(name: string): string {
  const whole: Record<string, string> = {
    'model.embed_tokens.weight': 'token_embd.weight',
    'model.norm.weight': 'output_norm.weight',
  }
  const known = whole[name]
  if (known) return known
  const [, layer, part, suffix] = /^model\.layers\.(\d+)\.(.+)\.(weight|bias)$/.exec(name) ?? []
  return `blk.${layer}.${layerParts[part ?? '']}.${suffix}`
}

const layerParts: Record<string, string> = {
  input_layernorm: 'attn_norm',
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  post_attention_layernorm: 'ffn_norm',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
}

function metadata(config: DecoderConfig): Buffer[] {
  const number = (key: string, x: number) => Buffer.concat([text(key), u32(TYPE.u32), u32(x)])
  const real = (key: string, x: number) => Buffer.concat([text(key), u32(TYPE.f32), f32(x)])
  const string = (key: string, x: string) => Buffer.concat([text(key), u32(TYPE.string), text(x)])
  const list = (key: string, type: number, items: readonly Buffer[]) =>
    Buffer.concat([text(key), u32(TYPE.array), u32(type), u64(items.length), ...items])
  // The vocabulary is made up: no text is ever tokenised.
  const tokens = Array.from({ length: config.vocabSize }, (_, i) => text(`t${i}`))
  return [
    string('general.architecture', 'qwen2'),
    string('general.name', 'random'),
    number('general.file_type', 7),
    number('qwen2.block_count', config.layers),
    number('qwen2.context_length', config.maxPositions),
    number('qwen2.embedding_length', config.hiddenSize),
    number('qwen2.feed_forward_length', config.intermediateSize),
    number('qwen2.attention.head_count', config.heads),
    number('qwen2.attention.head_count_kv', config.kvHeads),
    real('qwen2.rope.freq_base', config.ropeTheta),
    real('qwen2.attention.layer_norm_rms_epsilon', config.rmsNormEps),
    string('tokenizer.ggml.model', 'gpt2'),
    string('tokenizer.ggml.pre', 'qwen2'),
    list('tokenizer.ggml.tokens', TYPE.string, tokens),
    list('tokenizer.ggml.merges', TYPE.string, [text('t 0')]),
    number('tokenizer.ggml.bos_token_id', 0),
    number('tokenizer.ggml.eos_token_id', 1),
  ]
}

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

function f32(x: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(x)
  return bytes
}

const text = (s: string) => Buffer.concat([u64(Buffer.byteLength(s)), Buffer.from(s)])

/** Half precision of a small positive number, rounded to nearest; subnormals too. */
function halfBits(x: number): number {
  if (x === 0) return 0
  const exponent = Math.max(-14, Math.floor(Math.log2(x)))
  const mantissa = Math.round((x / 2 ** exponent) * 1024)
  return mantissa < 1024 ? mantissa : ((exponent + 15) << 10) + (mantissa - 1024)
}
