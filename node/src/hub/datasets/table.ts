/** Location and reason of a defect in a dataset. */
export type RowFault = {
  readonly file: string
  /** The first row that it concerns, from 0. */
  readonly row: number
  /** Number of rows that are lost by it. */
  readonly rows: number
  /** Null if it is the row as a whole. */
  readonly field: string | null
  readonly reason: string
}

export type TableRow = {
  readonly file: string
  readonly row: number
  readonly fields: Readonly<Record<string, unknown>>
}
export type ReadRow = TableRow | RowFault

export const isFault = (row: ReadRow): row is RowFault => 'reason' in row

/** Rows of a file, in parts that are read as a whole. */
export type Table = {
  /** Name of the file in the dataset, which no other file of it has. */
  readonly file: string
  /** Names of its columns; null if each row has its own. */
  readonly columns: readonly string[] | null
  readonly rows: number
  /** Number of rows of each part, if these columns are read. */
  parts(columns: readonly string[]): readonly number[]
  /**
   * The rows of a part in the file's order, with the named columns.
   *
   * Unreadable rows are faults; a text that is not UTF-8 stays bytes.
   */
  readPart(part: number, columns: readonly string[]): Promise<ReadRow[]>
  close(): Promise<void>
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text, or the bytes themselves if they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | Uint8Array {
  try {
    return decoder.decode(bytes)
  } catch {
    return bytes.slice(0, 64)
  }
}
