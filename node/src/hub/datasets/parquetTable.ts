import { basename } from 'node:path'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
  snappyUncompress,
} from 'hyparquet'
import { decompressLz4, decompressLz4Raw } from 'hyparquet-compressors'
import { DatasetError } from './datasetError.ts'
import type { OpenFile } from './openFile.ts'
import { decodeUtf8, type ReadRow } from './table.ts'

/** A footer of 10,000 row groups has a few MB. */
const MAX_FOOTER_BYTES = 64 << 20
/** Groups of the usual writers hold 64 to 512 MB of all columns together. */
const MAX_COLUMN_BYTES = 1 << 29
const MAX_GROUP_ROWS = 1 << 20
/** A page of the usual writers has 1 MB; one with a single long text has that text's size. */
const MAX_PAGE_BYTES = 1 << 28

/** Rows and columns according to the footer. */
export type ParquetLayout = { readonly columns: readonly string[]; readonly groups: readonly number[] }

/**
 * Reads a footer: what a file holds.
 *
 * @throws {DatasetError} if it is damaged or describes what is not read.
 */
export async function readLayout(file: OpenFile): Promise<ParquetLayout> {
  const { metadata, columns } = await readFooter(bufferOf(file), basename(file.path))
  return { columns, groups: metadata.row_groups.map(({ num_rows }) => Number(num_rows)) }
}

/** The rows of a group: all codecs but LZO, data pages of both versions. A damaged page is one fault for all of them. */
export async function readGroup(file: OpenFile, group: number, wanted: readonly string[]): Promise<ReadRow[]> {
  const name = basename(file.path)
  const buffer = bufferOf(file)
  const { metadata, columns } = await readFooter(buffer, name)
  const groups = metadata.row_groups.map(({ num_rows }) => Number(num_rows))
  const row = groups.slice(0, group).reduce((sum, rows) => sum + rows, 0)
  const rows = groups[group] ?? 0
  const asked = wanted.filter(column => columns.includes(column))
  const read = (names: string[]) =>
    parquetReadObjects({
      ...{ file: buffer, metadata, columns: names, compressors, rowStart: row, rowEnd: row + rows },
      parsers: { stringFromBytes: bytes => bytes && decodeUtf8(bytes) },
    })
  try {
    const found = await read(asked)
    if (found.length !== rows) throw new RangeError(`${found.length} rows instead of ${rows}`)
    return found.map((fields, at): ReadRow => ({ file: name, row: row + at, fields }))
  } catch {
    const field = await firstDamaged(asked, column => read([column]))
    return [{ file: name, row, rows, field, reason: 'pages are damaged' }]
  }
}

async function firstDamaged(columns: readonly string[], read: (column: string) => Promise<unknown>) {
  for (const column of columns) {
    const isWhole = await read(column).then(
      () => true,
      () => false,
    )
    if (!isWhole) return column
  }
  return null
}

async function readFooter(buffer: AsyncBuffer, name: string): Promise<{ metadata: FileMetaData; columns: string[] }> {
  try {
    const tail = new DataView(await buffer.slice(Math.max(0, buffer.byteLength - 8)))
    if (tail.getUint32(0, true) > MAX_FOOTER_BYTES) throw new RangeError('the footer is too long')
    const metadata = await parquetMetadataAsync(buffer, { geoparquet: false, parsers: { stringFromBytes: () => '' } })
    const columns = parquetSchema(metadata).children.map(({ element }) => element.name)
    for (const { num_rows, columns: chunks } of metadata.row_groups) {
      if (num_rows < 0 || num_rows > MAX_GROUP_ROWS) throw new RangeError(`a row group has ${num_rows} rows`)
      for (const { meta_data } of chunks) checkChunk(meta_data)
    }
    return { metadata, columns }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new DatasetError('DATASET_FILE', `The footer of ${name} is damaged: ${reason.slice(0, 200)}.`, cause)
  }
}

/** Checked up front, since the reader allocates what the footer claims. @throws {RangeError} */
function checkChunk(chunk: FileMetaData['row_groups'][number]['columns'][number]['meta_data']): void {
  if (chunk === undefined) throw new RangeError('a column has no metadata')
  const sizes = [chunk.total_uncompressed_size, chunk.total_compressed_size, chunk.num_values]
  if (sizes.some(size => size < 0 || size > MAX_COLUMN_BYTES))
    throw new RangeError(
      `column ${chunk.path_in_schema.join('.').slice(0, 100)} is larger than ${MAX_COLUMN_BYTES} bytes`,
    )
}

/** Node's own decompressors where it has them: they are native and stop at the length that the page states. */
const compressors: Compressors = {
  SNAPPY: (input, length) => {
    const output = pageOf(length)
    snappyUncompress(input, output)
    return output
  },
  GZIP: (input, length) => gunzipSync(input, { maxOutputLength: checkedLength(length) }),
  BROTLI: (input, length) => brotliDecompressSync(input, { maxOutputLength: checkedLength(length) }),
  ZSTD: (input, length) => zstdDecompressSync(input, { maxOutputLength: checkedLength(length) }),
  LZ4: (input, length) => decompressLz4(input, checkedLength(length)),
  LZ4_RAW: (input, length) => decompressLz4Raw(input, checkedLength(length)),
}

function checkedLength(length: number): number {
  if (length >= 0 && length <= MAX_PAGE_BYTES) return Math.max(1, length)
  throw new RangeError(`a page of ${length} bytes`)
}

function pageOf(length: number): Uint8Array {
  checkedLength(length)
  return new Uint8Array(length)
}

function bufferOf({ bytes, read }: OpenFile): AsyncBuffer {
  return {
    byteLength: bytes,
    async slice(start, end = bytes) {
      if (start < 0 || end > bytes || start > end || end - start > MAX_COLUMN_BYTES)
        throw new RangeError(`bytes ${start} to ${end} of ${bytes}`)
      const { buffer, byteOffset, byteLength } = await read(start, end - start)
      return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
    },
  }
}
