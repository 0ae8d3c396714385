import type { Tensor } from '../files/safetensors.ts'

/** Edge of the squares in which a matrix is transposed: two of them fit the first cache. */
const TILE = 64

/** 8-bit integers of matrices joined by their outputs, for products with one scale an output. */
interface ByteMatrix {
  /** [in, out]. */
  readonly codes: Int8Array<ArrayBuffer>
  /** [out]: largest magnitude of the output's weights over 127. */
  readonly scales: Float32Array<ArrayBuffer>
}

/**
 * Rounds matrices [out, in] to 8-bit integers, symmetric, one scale an output row.
 *
 * @param matrices - of the same number of inputs.
 */
export function quantizeBytes(matrices: readonly Tensor[]): ByteMatrix {
  const inner = matrices[0]?.shape[1] as number
  const total = matrices.reduce((sum, { shape }) => sum + (shape[0] as number), 0)
  const codes = new Int8Array(total * inner)
  const scales = new Float32Array(total)
  let first = 0
  for (const { shape, data } of matrices) {
    const rows = shape[0] as number
    const inverse = rowScales(data, inner, scales.subarray(first, first + rows))
    for (let k0 = 0; k0 < inner; k0 += TILE) {
      const k1 = Math.min(inner, k0 + TILE)
      for (let r0 = 0; r0 < rows; r0 += TILE) {
        const r1 = Math.min(rows, r0 + TILE)
        for (let r = r0; r < r1; r++) {
          const by = inverse[r] as number
          for (let k = k0; k < k1; k++) codes[k * total + first + r] = roundEven((data[r * inner + k] as number) * by)
        }
      }
    }
    first += rows
  }
  return { codes, scales }
}

/** The same for a table that is read by row: codes [rows, columns]. */
export function quantizeRows({ shape, data }: Tensor): ByteMatrix {
  const [rows, columns] = shape as [number, number]
  const scales = new Float32Array(rows)
  const inverse = rowScales(data, columns, scales)
  const codes = new Int8Array(data.length)
  for (let r = 0; r < rows; r++) {
    const by = inverse[r] as number
    for (let i = r * columns; i < (r + 1) * columns; i++) codes[i] = roundEven((data[i] as number) * by)
  }
  return { codes, scales }
}

/** Mean of the rows of codes [rows, columns], rounded: [columns]. */
export function meanRow(codes: Int8Array, columns: number): Int8Array<ArrayBuffer> {
  const sums = new Float64Array(columns)
  for (let i = 0, column = 0; i < codes.length; i++) {
    sums[column] = (sums[column] as number) + (codes[i] as number)
    if (++column === columns) column = 0
  }
  return Int8Array.from(sums, sum => roundEven((sum * columns) / codes.length))
}

/** 4-bit codes of blocks of inputs. */
interface BlockMatrix {
  /** [out, blocks, blockSize / 2], the first of each pair in the low half; 8 is zero. */
  readonly codes: Uint8Array
  /** [out * blocks]: the element of largest magnitude over -8, so that it is met exactly. */
  readonly scales: Float32Array
}

/** Rounds matrices [out, in] to 4 bits, one scale for `blockSize` inputs of an output; a last block is filled with zeros. */
export function quantizeBlocks(matrices: readonly Tensor[], blockSize: number): BlockMatrix {
  const inner = matrices[0]?.shape[1] as number
  const blocks = Math.ceil(inner / blockSize)
  const total = matrices.reduce((sum, { shape }) => sum + (shape[0] as number), 0)
  const codes = new Uint8Array((total * blocks * blockSize) / 2).fill(0x88)
  const scales = new Float32Array(total * blocks)
  let row = 0
  for (const { shape, data } of matrices) {
    for (let r = 0; r < (shape[0] as number); r++, row++) {
      for (let block = 0; block < blocks; block++) {
        const start = r * inner + block * blockSize
        const end = Math.min(start + blockSize, (r + 1) * inner)
        const scale = blockScale(data, start, end)
        scales[row * blocks + block] = scale
        if (scale === 0) continue
        const to = ((row * blocks + block) * blockSize) / 2
        for (let i = start; i < end; i++) {
          const code = Math.min(15, Math.max(0, roundEven((data[i] as number) / scale) + 8))
          const at = to + ((i - start) >> 1)
          codes[at] =
            (i - start) & 1 ? ((codes[at] as number) & 0x0f) | (code << 4) : ((codes[at] as number) & 0xf0) | code
        }
      }
    }
  }
  return { codes, scales }
}

function blockScale(data: Float32Array, start: number, end: number): number {
  let largest = 0
  for (let i = start; i < end; i++) {
    const x = data[i] as number
    if (Math.abs(x) > Math.abs(largest)) largest = x
  }
  return Math.fround(largest / -8)
}

/** Fills `scales` and returns their inverses, in float64; a row of zeros stays one. */
function rowScales(data: Float32Array, columns: number, scales: Float32Array): Float64Array {
  return Float64Array.from({ length: scales.length }, (_, r) => {
    let largest = 0
    for (let i = r * columns; i < (r + 1) * columns; i++) {
      const magnitude = Math.abs(data[i] as number)
      if (magnitude > largest) largest = magnitude
    }
    scales[r] = largest / 127
    return largest === 0 ? 0 : 127 / largest
  })
}

/** To the nearest integer, ties to even, for magnitudes below 2^51. */
function roundEven(x: number): number {
  return x + 6755399441055744 - 6755399441055744
}
