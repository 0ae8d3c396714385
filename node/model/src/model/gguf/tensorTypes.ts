import { bf16ToF32, f16ToF32 } from '../files/tensorBytes.ts'

/** How a GGUF file stores the numbers of a tensor: blocks of `blockElements` elements in `blockBytes` bytes. */
export interface TensorType {
  readonly name: string
  readonly blockElements: number
  readonly blockBytes: number
  /** Kept as it is in a safetensors file; quantised types become float32, which holds each of their values exactly. */
  readonly dtype: 'F32' | 'F16' | 'BF16'
  /**
   * Block to float32, bit for bit as ggml's reference.
   *
   * @param at - the block's first byte.
   * @param to - index of its first element.
   */
  readonly decode: (block: Uint8Array, at: number, out: Float32Array, to: number) => void
}

const half = new Uint16Array(1)
const single = new Float32Array(1)
const singleBytes = new Uint8Array(single.buffer)

function f16(bytes: Uint8Array, at: number): number {
  half[0] = u16(bytes, at)
  f16ToF32(half, single)
  return single[0] as number
}

const u16 = (bytes: Uint8Array, at: number) => (bytes[at] as number) | ((bytes[at + 1] as number) << 8)
const u32 = (bytes: Uint8Array, at: number) => u16(bytes, at) | (u16(bytes, at + 2) << 16)
const i8 = (byte: number) => (byte << 24) >> 24

/** The low four bits of 16 bytes are elements 0 to 15 of a block of 32, the high ones 16 to 31. */
const nibble = (bytes: Uint8Array, at: number, i: number) =>
  ((bytes[at + (i & 15)] as number) >>> (i < 16 ? 0 : 4)) & 15

/** 32 codes under one scale and, if the block has one, one minimum. `fifth` is where the codes' fifth bits are. */
function small(name: string, blockBytes: number, layout: { min?: true; fifth?: number; codes: number; zero: number }) {
  const { codes, fifth, zero } = layout
  return floats(name, 32, blockBytes, (block, at, out, to) => {
    const scale = f16(block, at)
    const min = layout.min ? f16(block, at + 2) : -0 // adds nothing to any number, a negative zero included
    const high = fifth === undefined ? 0 : u32(block, at + fifth)
    for (let i = 0; i < 32; i++)
      out[to + i] = scale * ((nibble(block, at + codes, i) | (((high >>> i) & 1) << 4)) - zero) + min
  })
}

/** Sixth-bit packing of the eight scales and minima of a block of 256: `get_scale_min_k4` of ggml. */
function packedScale(block: Uint8Array, at: number, group: number): { scale: number; min: number } {
  const byte = (i: number) => block[at + i] as number
  if (group < 4) return { scale: byte(group) & 63, min: byte(group + 4) & 63 }
  return {
    scale: (byte(group + 4) & 15) | ((byte(group - 4) >>> 6) << 4),
    min: (byte(group + 4) >>> 4) | ((byte(group) >>> 6) << 4),
  }
}

/** 256 codes in eight groups of 32, each with a scale and a minimum. */
function grouped(name: string, blockBytes: number, fifth: number | undefined, codes: number) {
  return floats(name, 256, blockBytes, (block, at, out, to) => {
    const d = f16(block, at)
    const dMin = f16(block, at + 2)
    for (let group = 0; group < 8; group++) {
      const { scale, min } = packedScale(block, at + 4, group)
      const from = at + codes + 32 * (group >> 1)
      for (let i = 0; i < 32; i++) {
        const low = ((block[from + i] as number) >>> (group & 1 ? 4 : 0)) & 15
        const high = fifth === undefined ? 0 : (((block[at + fifth + i] as number) >>> group) & 1) << 4
        out[to + 32 * group + i] = d * scale * (low | high) - dMin * min
      }
    }
  })
}

function floats(name: string, blockElements: number, blockBytes: number, decode: TensorType['decode']): TensorType {
  return { name, blockElements, blockBytes, dtype: 'F32', decode }
}

/**
 * Types by their number in the file.
 *
 * Products of a half, a scale and a code fit a double exactly, so the only rounding is that to float32, as in ggml.
 *
 * @see https://github.com/ggml-org/ggml/blob/master/docs/gguf.md and ggml's `dequantize_row_*`
 */
export const tensorTypes: ReadonlyMap<number, TensorType> = new Map<number, TensorType>([
  [
    0,
    floats('F32', 1, 4, (block, at, out, to) => {
      for (let i = 0; i < 4; i++) singleBytes[i] = block[at + i] as number
      out[to] = single[0] as number
    }),
  ],
  [
    1,
    {
      ...floats('F16', 1, 2, (block, at, out, to) => {
        out[to] = f16(block, at)
      }),
      dtype: 'F16',
    },
  ],
  [2, small('Q4_0', 18, { codes: 2, zero: 8 })],
  [3, small('Q4_1', 20, { min: true, codes: 4, zero: 0 })],
  [6, small('Q5_0', 22, { fifth: 2, codes: 6, zero: 16 })],
  [7, small('Q5_1', 24, { min: true, fifth: 4, codes: 8, zero: 0 })],
  [
    8,
    floats('Q8_0', 32, 34, (block, at, out, to) => {
      const scale = f16(block, at)
      for (let i = 0; i < 32; i++) out[to + i] = scale * i8(block[at + 2 + i] as number)
    }),
  ],
  [12, grouped('Q4_K', 144, undefined, 16)],
  [13, grouped('Q5_K', 176, 16, 48)],
  [
    14,
    floats('Q6_K', 256, 210, (block, at, out, to) => {
      const d = f16(block, at + 208)
      for (let i = 0; i < 256; i++) {
        const [part, quarter, j] = [i >> 7, (i >> 5) & 3, i & 31]
        const low = ((block[at + 64 * part + 32 * (quarter & 1) + j] as number) >>> (quarter & 2 ? 4 : 0)) & 15
        const high = ((block[at + 128 + 32 * part + j] as number) >>> (2 * quarter)) & 3
        out[to + i] = d * i8(block[at + 192 + (i >> 4)] as number) * ((low | (high << 4)) - 32)
      }
    }),
  ],
  [
    30,
    {
      ...floats('BF16', 1, 2, (block, at, out, to) => {
        half[0] = u16(block, at)
        bf16ToF32(half, single)
        out[to] = single[0] as number
      }),
      dtype: 'BF16',
    },
  ],
])
