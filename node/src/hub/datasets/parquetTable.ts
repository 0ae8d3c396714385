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
/**
 * Unpacked bytes that a byte of a column chunk is taken to stand for at most. The footer's claim decides how many parts a group is read in: with more
 * than this, a small file has more parts than can be read in an hour, and pages of one repeated text are few anyway.
 */
const MAX_RATIO = 1_000
/** A page of the usual writers has 1 MB; one with a single long text has that text's size. */
const MAX_PAGE_BYTES = 1 << 28

/** Rows may repeat one text of a dictionary, so neither file nor footer shows their total size. */
const MAX_CHARACTERS = 1 << 28

/** Rows and columns according to the footer. */
export type ParquetLayout = { readonly columns: readonly string[]; readonly groups: readonly RowGroup[] }

/** @param columnBytes - of each column, unpacked, by name. */
type RowGroup = { readonly rows: number; readonly columnBytes: Readonly<Record<string, number>> }

/** Rows next to each other, in one row group. */
export type RowRange = { readonly from: number; readonly rows: number }

/**
 * Reads a footer, which describes the content of a file.
 *
 * @throws {DatasetError} if it is damaged or describes unsupported content.
 */
export async function readLayout(file: OpenFile): Promise<ParquetLayout> {
  const { metadata, columns } = await readFooter(bufferOf(file), file.name)
  return { columns, groups: metadata.row_groups.map(groupOf) }
}

function groupOf(group: FileMetaData['row_groups'][number]): RowGroup {
  const columnBytes: Record<string, number> = Object.create(null)
  for (const { meta_data } of group.columns) {
    const name = meta_data?.path_in_schema[0] ?? ''
    // A column that is too large is not read at all.
    const unpacked = Number(meta_data?.total_uncompressed_size ?? 0)
    const bytes = isLarge(group, name)
      ? 0
      : Math.min(unpacked, MAX_RATIO * Number(meta_data?.total_compressed_size ?? 0))
    columnBytes[name] = (columnBytes[name] ?? 0) + bytes
  }
  return { rows: Number(group.num_rows), columnBytes }
}

/** Some rows: all codecs but LZO, data pages of both versions. A damaged page is one fault for all of them. */
export async function readRows(
  file: OpenFile,
  { from, rows }: RowRange,
  wanted: readonly string[],
): Promise<ReadRow[]> {
  const { name } = file
  const buffer = bufferOf(file)
  const { metadata, columns } = await readFooter(buffer, name)
  const asked = wanted.filter(column => columns.includes(column))
  const faultOf = (field: string | null, reason: string): ReadRow[] => [{ file: name, row: from, rows, field, reason }]
  const group = groupAt(metadata, from)
  const large = asked.find(column => isLarge(group, column))
  if (large !== undefined) return faultOf(large, `takes more than ${MAX_COLUMN_BYTES} bytes of a row group`)
  const read = (names: string[]) =>
    parquetReadObjects({
      ...{ file: buffer, metadata, columns: names, compressors, rowStart: from, rowEnd: from + rows },
      parsers: { stringFromBytes: bytes => bytes && decodeUtf8(bytes) },
    })
  try {
    const found = await read(asked)
    if (found.length !== rows) throw new RangeError(`${found.length} rows instead of ${rows}`)
    if (charactersIn(found) > MAX_CHARACTERS)
      return faultOf(null, `${rows} rows have more than ${MAX_CHARACTERS} characters`)
    return found.map((fields, at): ReadRow => ({ file: name, row: from + at, fields }))
  } catch {
    const field = await firstDamaged(asked, column => read([column]))
    return faultOf(field, 'pages are damaged')
  }
}

/** @throws {RangeError} if there is no such row. */
function groupAt({ row_groups }: FileMetaData, row: number): FileMetaData['row_groups'][number] {
  let end = 0
  for (const group of row_groups) {
    end += Number(group.num_rows)
    if (row < end) return group
  }
  throw new RangeError(`row ${row} of ${end}`)
}

/** Characters of texts and bytes, at any depth. */
function charactersIn(value: unknown): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, item) => sum + charactersIn(item), 0)
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
      if (chunks.some(({ meta_data }) => meta_data === undefined)) throw new RangeError('a column has no metadata')
    }
    const packed = packedBytes(metadata)
    if (packed > buffer.byteLength) throw new RangeError(`columns of ${packed} bytes in ${buffer.byteLength}`)
    return { metadata, columns }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new DatasetError('DATASET_FILE', `The footer of ${name} is damaged: ${reason.slice(0, 200)}.`, cause)
  }
}

/** Bytes of all column chunks that are read. They do not overlap, so that a file has at least as many. */
const packedBytes = ({ row_groups }: FileMetaData) =>
  row_groups
    .flatMap(group => group.columns.filter(({ meta_data }) => !isLarge(group, meta_data?.path_in_schema[0] ?? '')))
    .reduce((sum, { meta_data }) => sum + Number(meta_data?.total_compressed_size ?? 0), 0)

/** Whether a column is larger than what is read. Checked up front, since the reader allocates what the footer claims. */
const isLarge = ({ columns }: FileMetaData['row_groups'][number], name: string) =>
  columns.some(({ meta_data: chunk }) => {
    if (chunk?.path_in_schema[0] !== name) return false
    const sizes = [chunk.total_uncompressed_size, chunk.total_compressed_size, chunk.num_values]
    return sizes.some(size => size < 0 || size > MAX_COLUMN_BYTES)
  })

/** Node's own decompressors if available: they are native and stop at the length that the page states. */
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
      const { buffer, byteLength } = await read(start, end - start)
      if (buffer.byteLength !== byteLength) throw new RangeError('bytes that others share')
      return buffer as ArrayBuffer
    },
  }
}
