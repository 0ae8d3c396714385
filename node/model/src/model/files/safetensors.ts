import type { FileHandle } from 'node:fs/promises'
import { writeFileAtomic } from '#base/writeFileAtomic.ts'
import { ModelFileError } from '../modelErrors.ts'
import { readExactly, withRegularFile } from './regularFile.ts'
import { parseSafetensorsHeader, parseSafetensorsMetadata } from './safetensorsHeader.ts'
import { bf16ToF32, f16ToF32, f32ToBf16 } from './tensorBytes.ts'

/** A tensor in float32, row-major. */
export interface Tensor {
  readonly shape: readonly number[]
  readonly data: Float32Array<ArrayBuffer>
}

/** A tensor in a file. */
export interface StoredTensor {
  readonly name: string
  /** The requested path, which may be a symbolic link. */
  readonly path: string
  readonly dtype: 'F32' | 'F16' | 'BF16'
  readonly shape: readonly number[]
  readonly elements: number
  /** First byte, from the start of the file. */
  readonly offset: number
  /** State of the file when its header was read; see `withRegularFile`. */
  readonly state: string
}

/** Elements converted at a time, so that a large file is never in memory twice. */
const CHUNK_ELEMENTS = 1 << 20

/** A hundred times the header of the largest model of these families; Hugging Face's reader takes six times as much. */
const MAX_HEADER_BYTES = 16 << 20

/**
 * Reads the header of a safetensors file: its tensors and their places.
 *
 * @throws {ModelFileError} naming the file and the tensor or the header, if the header does not describe the whole file.
 * @see https://github.com/huggingface/safetensors#format
 */
export async function scanSafetensors(path: string): Promise<Map<string, StoredTensor>> {
  return withRegularFile(path, async (file, size, state) => {
    const text = await readHeader(file, size, path)
    const dataStart = 8 + text.length
    const entries = parseSafetensorsHeader(text, size - dataStart, path)
    return new Map(
      entries.map(({ begin, ...entry }) => [entry.name, { ...entry, path, offset: dataStart + begin, state }]),
    )
  })
}

/**
 * Reads a file's metadata.
 *
 * @throws {ModelFileError} naming the file, if that is not text by name.
 */
export async function readSafetensorsMetadata(path: string): Promise<Readonly<Record<string, string>>> {
  return parseSafetensorsMetadata(await withRegularFile(path, (file, size) => readHeader(file, size, path)), path)
}

/**
 * Reads tensors as float32, in the order given; those of one file together.
 *
 * @throws {ModelFileError} naming the file and the tensor.
 */
export async function readStoredTensors(stored: Iterable<StoredTensor>): Promise<Map<string, Tensor>> {
  const all = [...stored]
  const read = new Map<string, Tensor>()
  for (const path of new Set(all.map(tensor => tensor.path))) {
    const inFile = all.filter(tensor => tensor.path === path).sort((a, b) => a.offset - b.offset)
    const readAll = async (file: FileHandle) => {
      for (const tensor of inFile) read.set(tensor.name, await readTensor(file, tensor))
    }
    await withRegularFile(path, readAll, inFile[0]?.state)
  }
  return new Map(all.map(({ name }) => [name, read.get(name) as Tensor]))
}

/**
 * Reads a tensor as float32 a million elements at a time.
 *
 * @param visit - is given the elements, whose memory the next ones take, and the number of the first.
 * @throws {ModelFileError} naming the file and the tensor.
 */
export async function visitStoredTensor(
  tensor: StoredTensor,
  visit: (elements: Float32Array, first: number) => void,
): Promise<void> {
  const chunk = new Float32Array(Math.min(tensor.elements, CHUNK_ELEMENTS))
  const visitAll = async (file: FileHandle) => {
    const fill = elementReader(file, tensor)
    for (let at = 0; at < tensor.elements; at += chunk.length) {
      const part = chunk.subarray(0, tensor.elements - at)
      await fill(part, at)
      visit(part, at)
    }
  }
  await withRegularFile(tensor.path, visitAll, tensor.state)
}

/**
 * Whether two tensors have one shape and are bitwise identical as float32.
 *
 * @throws {ModelFileError} naming the file and the tensor.
 */
export async function haveSameElements(one: StoredTensor, other: StoredTensor): Promise<boolean> {
  if (one.shape.join() !== other.shape.join()) return false
  const chunk = () => new Float32Array(Math.min(one.elements, CHUNK_ELEMENTS))
  const [left, right] = [chunk(), chunk()]
  const compareAll = async (file: FileHandle, otherFile: FileHandle) => {
    const [fillLeft, fillRight] = [elementReader(file, one), elementReader(otherFile, other)]
    for (let at = 0; at < one.elements; at += CHUNK_ELEMENTS) {
      const [a, b] = [left.subarray(0, one.elements - at), right.subarray(0, one.elements - at)]
      await Promise.all([fillLeft(a, at), fillRight(b, at)])
      if (Buffer.compare(bytesOf(a), bytesOf(b)) !== 0) return false
    }
    return true
  }
  const openOther = (file: FileHandle) => withRegularFile(other.path, opened => compareAll(file, opened), other.state)
  return withRegularFile(one.path, openOther, one.state)
}

/**
 * Reads every tensor of a safetensors file as float32.
 *
 * The header is checked against the file's real length before any tensor's memory is asked for, so a lying file costs no
 * more memory than its own size (twice that for 16-bit tensors).
 *
 * @throws {ModelFileError} naming the file and the tensor or the header.
 */
export async function readSafetensors(path: string): Promise<Map<string, Tensor>> {
  return readStoredTensors((await scanSafetensors(path)).values())
}

/**
 * Writes tensors in the order of their names, in one step: a reader sees the old file or the new one.
 *
 * The same tensors give the same bytes. BF16 rounds to nearest, ties to even.
 *
 * @param metadata - for `readSafetensorsMetadata`; other readers ignore it.
 */
export async function writeSafetensors(
  path: string,
  tensors: ReadonlyMap<string, Tensor>,
  dtype: 'F32' | 'BF16',
  metadata: Readonly<Record<string, string>> = {},
): Promise<void> {
  await writeFileAtomic(path, encodeSafetensors(tensors, dtype, metadata))
}

/** The bytes of a safetensors file, in parts to be written or hashed one after the other. */
export function encodeSafetensors(
  tensors: ReadonlyMap<string, Tensor>,
  dtype: 'F32' | 'BF16',
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array[] {
  const parts = [...tensors.keys()].sort().flatMap(name => {
    const { data } = tensors.get(name) as Tensor
    return boundedParts(dtype === 'F32' ? bytesOf(data) : bytesOf(rounded(data)))
  })
  return [...encodeSafetensorsHeader(tensors, dtype, metadata), ...parts]
}

/**
 * The header, tensors in the order of their names.
 *
 * @param dtype - of all tensors, or of each by its name.
 */
export function encodeSafetensorsHeader(
  tensors: ReadonlyMap<string, { readonly shape: readonly number[] }>,
  dtype: StoredTensor['dtype'] | ((name: string) => StoredTensor['dtype']),
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array[] {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt', ...metadata } } // Hugging Face's loaders ask for the format
  let offset = 0
  for (const name of [...tensors.keys()].sort()) {
    const { shape } = tensors.get(name) as { shape: readonly number[] }
    const type = typeof dtype === 'string' ? dtype : dtype(name)
    const bytes = (type === 'F32' ? 4 : 2) * shape.reduce((product, count) => product * count, 1)
    header[name] = { dtype: type, shape, data_offsets: [offset, offset + bytes] }
    offset += bytes
  }
  const json = Buffer.from(JSON.stringify(header))
  const padding = Buffer.alloc((8 - (json.length % 8)) % 8, ' ') // data start aligned, as the format asks
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(json.length + padding.length))
  return [length, json, padding]
}

async function readHeader(file: FileHandle, size: number, path: string): Promise<Buffer> {
  if (size < 8) throw new ModelFileError(path, 'header', `a file of ${size} bytes has none`)
  const prefix = await readExactly(file, path, 'header', 0, Buffer.alloc(8))
  const headerBytes = prefix.readBigUInt64LE()
  if (headerBytes > BigInt(Math.min(size - 8, MAX_HEADER_BYTES)))
    throw new ModelFileError(path, 'header', `claims ${headerBytes} bytes of a file of ${size}`)
  return readExactly(file, path, 'header', 8, Buffer.alloc(Number(headerBytes)))
}

async function readTensor(file: FileHandle, tensor: StoredTensor): Promise<Tensor> {
  const data = new Float32Array(tensor.elements)
  const fill = elementReader(file, tensor)
  for (let at = 0; at < data.length; at += CHUNK_ELEMENTS) await fill(data.subarray(at, at + CHUNK_ELEMENTS), at)
  return { shape: tensor.shape, data }
}

/** Fills `target`, of a chunk at most, with the elements from `first` on. */
function elementReader(file: FileHandle, { path, name, dtype, elements, offset }: StoredTensor) {
  const read = (first: number, target: Float32Array | Uint16Array) =>
    readExactly(file, path, name, offset + first * target.BYTES_PER_ELEMENT, bytesOf(target))
  if (dtype === 'F32') return async (target: Float32Array, first: number) => void (await read(first, target))
  const convert = dtype === 'BF16' ? bf16ToF32 : f16ToF32
  const chunk = new Uint16Array(Math.min(elements, CHUNK_ELEMENTS))
  return async (target: Float32Array, first: number) => {
    const halves = chunk.subarray(0, target.length)
    await read(first, halves)
    convert(halves, target)
  }
}

function rounded(data: Float32Array): Uint16Array {
  const halves = new Uint16Array(data.length)
  f32ToBf16(data, halves)
  return halves
}

function bytesOf(array: Float32Array | Uint16Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}

/** Node's hashes take fewer than 2^31 bytes at once. */
const MAX_PART_BYTES = 2 ** 30

/** Views of bytes, in order, each small enough to be hashed; no bytes are copied. */
function boundedParts(bytes: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += MAX_PART_BYTES) parts.push(bytes.subarray(at, at + MAX_PART_BYTES))
  return parts
}
