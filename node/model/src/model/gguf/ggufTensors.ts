import type { FileHandle } from 'node:fs/promises'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { readExactly } from '../files/regularFile.ts'
import { ModelFileError } from '../modelErrors.ts'
import type { GgufTensor } from './readGguf.ts'

/** Elements that are read at a time, so that a tensor never stands in memory whole. */
const CHUNK_ELEMENTS = 1 << 20

const parts: Readonly<Record<string, string>> = {
  attn_norm: 'input_layernorm',
  attn_q: 'self_attn.q_proj',
  attn_k: 'self_attn.k_proj',
  attn_v: 'self_attn.v_proj',
  attn_output: 'self_attn.o_proj',
  attn_q_norm: 'self_attn.q_norm',
  attn_k_norm: 'self_attn.k_norm',
  ffn_norm: 'post_attention_layernorm',
  ffn_gate: 'mlp.gate_proj',
  ffn_up: 'mlp.up_proj',
  ffn_down: 'mlp.down_proj',
}
const whole: Readonly<Record<string, string>> = {
  'token_embd.weight': 'model.embed_tokens.weight',
  'output_norm.weight': 'model.norm.weight',
  'output.weight': 'lm_head.weight',
}

/** Factors of rotary frequencies, which Hugging Face computes from config.json. */
export const ROPE_FACTORS = 'rope_freqs.weight'

/** Hugging Face's name of a tensor; its own if it is none of these models'. */
export function huggingFaceName(name: string): string {
  const [, layer, part, suffix] = /^blk\.(\d{1,3})\.(\w+)\.(weight|bias)$/.exec(name) ?? []
  if (part !== undefined && Object.hasOwn(parts, part)) return `model.layers.${layer}.${parts[part]}.${suffix}`
  return Object.hasOwn(whole, name) ? (whole[name] as string) : name
}

/**
 * Rows of a head in the order of Hugging Face: those that rotate together are half a head apart there, and neighbours in
 * llama.cpp's Llama models.
 *
 * @returns for each row of a head, the row of the file; null where both have the same order.
 * @see transformers, `LlamaTensorProcessor`
 */
export function headRows({ architecture, headDim }: DecoderConfig, name: string): readonly number[] | null {
  if (architecture !== 'llama' || !/\.attn_[qk]\.(weight|bias)$/.test(name)) return null
  return Array.from({ length: headDim }, (_, row) => 2 * (row % (headDim / 2)) + Math.floor(row / (headDim / 2)))
}

/**
 * A tensor as a safetensors file has it, in parts of some megabytes.
 *
 * @param rows - see `headRows`.
 * @throws {ModelFileError} naming the file and the tensor, if a number is not finite.
 */
export async function* tensorBytes(
  file: FileHandle,
  path: string,
  { name, shape, type, offset }: GgufTensor,
  rows: readonly number[] | null,
): AsyncGenerator<Uint8Array> {
  const elements = shape.reduce((product, length) => product * length, 1)
  // A bias has one element in a row, so that it is put in order as the matrix is.
  const width = rows && shape.length === 1 ? 1 : (shape.at(-1) as number)
  if (width % type.blockElements) throw new ModelFileError(path, name, `cannot be of type ${type.name}`)
  const unit = rows?.length ?? 1
  const chunk = unit * Math.max(1, Math.floor(CHUNK_ELEMENTS / (unit * width)))
  const rowBytes = (width / type.blockElements) * type.blockBytes
  const count = elements / width
  for (let first = 0; first < count; first += chunk) {
    const length = Math.min(chunk, count - first)
    const source = await readExactly(file, path, name, offset + first * rowBytes, new Uint8Array(length * rowBytes))
    const from = (row: number) => (rows ? row - (row % rows.length) + (rows[row % rows.length] as number) : row)
    const values = new Float32Array(length * width)
    for (let row = 0; row < length; row++)
      for (let block = 0; block * type.blockElements < width; block++) {
        const at = from(row) * rowBytes + block * type.blockBytes
        type.decode(source, at, values, row * width + block * type.blockElements)
      }
    const wrong = values.findIndex(value => !Number.isFinite(value))
    if (wrong >= 0) throw new ModelFileError(path, name, `element ${first * width + wrong} is ${values[wrong]}`)
    yield type.dtype === 'F32' ? new Uint8Array(values.buffer) : inOrder(source, rowBytes, length, from)
  }
}

/** Rows of 16-bit floats, which are kept as they are. */
function inOrder(source: Uint8Array, rowBytes: number, length: number, from: (row: number) => number): Uint8Array {
  const bytes = new Uint8Array(source.length)
  for (let row = 0; row < length; row++)
    bytes.set(source.subarray(from(row) * rowBytes, (from(row) + 1) * rowBytes), row * rowBytes)
  return bytes
}
