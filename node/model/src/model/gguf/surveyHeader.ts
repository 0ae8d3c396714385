import { isUtf8 } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'
import { readExactly } from '../files/regularFile.ts'
import { ModelFileError } from '../modelErrors.ts'

/** Twice the header of the largest published vocabulary of byte-level BPE, of 250,000 tokens. */
const MAX_HEADER_BYTES = 16 << 20
/** Tokens, kinds, scores and merges of such a vocabulary. */
const MAX_LIST_ITEMS = 1 << 20
/** Fields and tensors: models have 50 and 4,000. */
const MAX_ENTRIES = 1 << 16
/** The format's limit. */
const MAX_NAME_BYTES = (1 << 16) - 1
/** A chat template with tools has 12 kB. */
const MAX_TEXT_BYTES = 1 << 18
const MAX_DIMENSIONS = 8

/** Bytes of a number, or a boolean, by its type. */
const numberBytes: ReadonlyMap<number, number> = new Map([
  ...[0, 1, 7].map(type => [type, 1] as const),
  ...[2, 3].map(type => [type, 2] as const),
  ...[4, 5, 6].map(type => [type, 4] as const),
  ...[10, 11, 12].map(type => [type, 8] as const),
])
const TEXT = 8
const LIST = 9

/** Extent of a header. */
interface Survey {
  /** First byte after the header. */
  readonly end: number
  /** Bytes of all texts among the values. */
  readonly textBytes: number
}

/**
 * Walks through a GGUF header without creating its values. Counts, lengths and types come from the file, and the library that creates the values
 * takes minutes and gigabytes for a false header of 48 MB.
 *
 * @throws {ModelFileError} naming the file, and the field if it is known.
 */
export async function surveyHeader(file: FileHandle, path: string, size: number): Promise<Survey> {
  const refuse = (field: string, problem: string) => new ModelFileError(path, field, problem)
  if (size < 24) throw notGguf(path, 'header', `a file of ${size} bytes has none`)
  const bytes = await readExactly(file, path, 'header', 0, Buffer.alloc(Math.min(size, MAX_HEADER_BYTES)))
  if (bytes.toString('latin1', 0, 4) !== 'GGUF') throw notGguf(path, 'magic', 'is not GGUF')
  const past = size > MAX_HEADER_BYTES ? `a header has ${MAX_HEADER_BYTES} bytes at most` : `the file ends at ${size}`
  const walk = new HeaderWalk(bytes, (field, problem) => refuse(field, problem ?? `ends past its file: ${past}`))
  const version = walk.u32('version')
  if (version !== 2 && version !== 3) throw refuse('version', `${version} is not supported; little-endian 2 and 3 are`)
  const counts = { tensor_count: walk.u64('tensor_count'), metadata_kv_count: walk.u64('metadata_kv_count') }
  for (const [field, count] of Object.entries(counts))
    if (count > MAX_ENTRIES) throw refuse(field, `is ${count}, more than ${MAX_ENTRIES}`)
  const keys = new Set<string>()
  for (let i = 0; i < counts.metadata_kv_count; i++) {
    const key = walk.name(`key ${i}`)
    const field = key.slice(0, 100)
    if (keys.has(key)) throw refuse(field, 'is there twice')
    keys.add(key)
    walk.value(field)
  }
  for (let i = 0; i < counts.tensor_count; i++) {
    const field = walk.name(`tensor ${i}`).slice(0, 100)
    const dimensions = walk.u32(field)
    if (dimensions > MAX_DIMENSIONS) throw refuse(field, `has ${dimensions} dimensions`)
    walk.take(8 * dimensions + 4 + 8, field)
  }
  return { end: walk.at, textBytes: walk.textBytes }
}

/** A cursor in a header. Fields are only used in errors. */
class HeaderWalk {
  at = 4
  textBytes = 0
  #items = 0
  readonly #bytes: Buffer
  readonly #refuse: (field: string, problem?: string) => ModelFileError

  /** @param refuse - called without a problem if the header ends too early. */
  constructor(bytes: Buffer, refuse: (field: string, problem?: string) => ModelFileError) {
    this.#bytes = bytes
    this.#refuse = refuse
  }

  /** Moves over `count` bytes. @returns the index of the first. */
  take(count: number, field: string): number {
    if (count > this.#bytes.length - this.at) throw this.#refuse(field)
    this.at += count
    return this.at - count
  }

  u32(field: string): number {
    return this.#bytes.readUInt32LE(this.take(4, field))
  }

  /** Inexact beyond 2^53, which exceeds every bound. */
  u64(field: string): number {
    return Number(this.#bytes.readBigUInt64LE(this.take(8, field)))
  }

  /** Reads the name of a field or a tensor. */
  name(field: string): string {
    const length = this.u64(field)
    const bytes = this.#bytes.subarray(this.take(length, field), this.at)
    if (length === 0 || length > MAX_NAME_BYTES || !isUtf8(bytes)) throw this.#refuse(field, 'is not a name in UTF-8')
    return bytes.toString()
  }

  value(field: string): void {
    const type = this.u32(field)
    if (type === LIST) this.#list(field)
    else this.#single(type, field)
  }

  #list(field: string): void {
    const [type, length] = [this.u32(field), this.u64(field)]
    this.#items += length
    if (this.#items > MAX_LIST_ITEMS) throw this.#refuse(field, `makes more than ${MAX_LIST_ITEMS} items of all lists`)
    const bytes = numberBytes.get(type)
    if (bytes !== undefined) this.take(bytes * length, field)
    else for (let i = 0; i < length; i++) this.#single(type, field)
  }

  #single(type: number, field: string): void {
    const bytes = numberBytes.get(type)
    if (bytes !== undefined) this.take(bytes, field)
    else if (type === TEXT) this.#text(field)
    else
      throw this.#refuse(field, type === LIST ? 'is a list of lists' : `has values of type ${type}, which is unknown`)
  }

  #text(field: string): void {
    const length = this.u64(field)
    if (length > MAX_TEXT_BYTES) throw this.#refuse(field, `has a text of ${length} bytes`)
    if (!isUtf8(this.#bytes.subarray(this.take(length, field), this.at))) throw this.#refuse(field, 'is not UTF-8')
    this.textBytes += length
  }
}

function notGguf(path: string, field: string, problem: string): ModelFileError {
  return new ModelFileError(path, field, problem, {
    hint: 'Name a GGUF file; if this should be one, download it again.',
  })
}
