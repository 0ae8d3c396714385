import { type FileHandle, open } from 'node:fs/promises'
import { bf16ToF32, f16ToF32, f32ToBf16 } from '#core/tensorBytes.ts'
import { writeFileAtomic } from './atomicFile.ts'
import { ModelFileError } from './modelErrors.ts'
import { parseSafetensorsHeader, type SafetensorsEntry } from './safetensorsHeader.ts'

/** A tensor in float32, row-major. */
export interface Tensor {
  readonly shape: readonly number[]
  readonly data: Float32Array<ArrayBuffer>
}

/** Elements converted at a time, so that a large file never stands in memory twice. */
const CHUNK_ELEMENTS = 1 << 20

/**
 * Reads every tensor of a safetensors file as float32.
 *
 * The header is checked against the file's real length before any tensor's memory is asked for, so a lying file costs no
 * more memory than its own size (twice that for 16-bit tensors).
 *
 * @throws {ModelFileError} naming the file and the tensor or the header.
 * @see https://github.com/huggingface/safetensors#format
 */
export async function readSafetensors(path: string): Promise<Map<string, Tensor>> {
  let file: FileHandle
  try {
    file = await open(path, 'r')
  } catch (cause) {
    throw new ModelFileError(path, 'file', 'cannot be read', { cause })
  }
  try {
    const { entries, dataStart } = await readHeader(file, path)
    const tensors = new Map<string, Tensor>()
    for (const entry of entries) tensors.set(entry.name, await readTensor(file, path, entry, dataStart))
    return tensors
  } finally {
    await file.close()
  }
}

/**
 * Writes tensors in the order of their names, in one step: a reader sees the old file or the new one.
 *
 * The same tensors give the same bytes. BF16 rounds to nearest, ties to even.
 */
export async function writeSafetensors(
  path: string,
  tensors: ReadonlyMap<string, Tensor>,
  dtype: 'F32' | 'BF16',
): Promise<void> {
  await writeFileAtomic(path, encodeSafetensors(tensors, dtype))
}

/** The bytes of a safetensors file, in parts to be written one after the other. */
export function encodeSafetensors(tensors: ReadonlyMap<string, Tensor>, dtype: 'F32' | 'BF16'): Uint8Array[] {
  const names = [...tensors.keys()].sort()
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } } // Hugging Face's loaders ask for it
  const parts: Uint8Array[] = []
  let offset = 0
  for (const name of names) {
    const { shape, data } = tensors.get(name) as Tensor
    const bytes = dtype === 'F32' ? bytesOf(data) : bytesOf(rounded(data))
    header[name] = { dtype, shape, data_offsets: [offset, offset + bytes.length] }
    offset += bytes.length
    parts.push(bytes)
  }
  const json = Buffer.from(JSON.stringify(header))
  const padding = Buffer.alloc((8 - (json.length % 8)) % 8, ' ') // data start aligned, as the format asks
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(json.length + padding.length))
  return [length, json, padding, ...parts]
}

async function readHeader(file: FileHandle, path: string) {
  const status = await file.stat()
  if (!status.isFile()) throw new ModelFileError(path, 'file', 'is not a regular file')
  const { size } = status
  if (size < 8) throw new ModelFileError(path, 'header', `a file of ${size} bytes has none`)
  const prefix = await readExactly(file, path, 'header', 0, Buffer.alloc(8))
  const headerBytes = prefix.readBigUInt64LE()
  if (headerBytes > BigInt(Math.min(size - 8, MAX_HEADER_BYTES)))
    throw new ModelFileError(path, 'header', `claims ${headerBytes} bytes of a file of ${size}`)
  const text = await readExactly(file, path, 'header', 8, Buffer.alloc(Number(headerBytes)))
  const dataStart = 8 + text.length
  return { entries: parseSafetensorsHeader(text, size - dataStart, path), dataStart }
}

/** As in Hugging Face's reader. */
const MAX_HEADER_BYTES = 100_000_000

async function readTensor(file: FileHandle, path: string, entry: SafetensorsEntry, dataStart: number): Promise<Tensor> {
  const data = new Float32Array(entry.elements)
  const start = dataStart + entry.begin
  if (entry.dtype === 'F32') await readExactly(file, path, entry.name, start, bytesOf(data))
  else {
    const convert = entry.dtype === 'BF16' ? bf16ToF32 : f16ToF32
    const chunk = new Uint16Array(Math.min(entry.elements, CHUNK_ELEMENTS))
    for (let at = 0; at < entry.elements; at += chunk.length) {
      const part = chunk.subarray(0, Math.min(chunk.length, entry.elements - at))
      await readExactly(file, path, entry.name, start + 2 * at, bytesOf(part))
      convert(part, data.subarray(at, at + part.length))
    }
  }
  return { shape: entry.shape, data }
}

async function readExactly<T extends Uint8Array>(
  file: FileHandle,
  path: string,
  field: string,
  position: number,
  target: T,
): Promise<T> {
  let done = 0
  while (done < target.length) {
    const { bytesRead } = await file.read(target, done, Math.min(target.length - done, 2 ** 30), position + done)
    if (bytesRead === 0) throw new ModelFileError(path, field, 'the file ends inside it')
    done += bytesRead
  }
  return target
}

function rounded(data: Float32Array): Uint16Array {
  const halves = new Uint16Array(data.length)
  f32ToBf16(data, halves)
  return halves
}

function bytesOf(array: Float32Array | Uint16Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}
