import { parseJson } from '#base/parseJson.ts'
import { DatasetError } from './datasetError.ts'
import type { OpenFile } from './openFile.ts'
import { decodeUtf8, type ReadRow, type Table } from './table.ts'

/** It is parsed as a whole, which costs some ten times its size. */
const MAX_BYTES = 1 << 26

/** Whether a file seems to hold one JSON array, by its first bytes. */
export async function isJsonArray(file: OpenFile): Promise<boolean> {
  const head = Buffer.from(await file.read(0, Math.min(64, file.bytes))).toString('utf8')
  return file.path.endsWith('.json') && head.replace('\ufeff', '').trimStart().startsWith('[')
}

/**
 * Opens a file that is one JSON array of rows, such as the sanitized tasks in MBPP's own repository.
 *
 * @throws {DatasetError} if it is damaged, not UTF-8, or too long.
 */
export async function openJsonArray(file: OpenFile): Promise<Table> {
  const { name } = file
  if (file.bytes > MAX_BYTES)
    throw new DatasetError('DATASET_FILE', `${name} is one JSON value of more than ${MAX_BYTES} bytes.`)
  const text = decodeUtf8(await file.read(0, file.bytes))
  if (typeof text !== 'string') throw new DatasetError('DATASET_FILE', `${name} is not UTF-8.`)
  const rows = parse(text.replace('\ufeff', ''), name)
  return {
    ...{ file: name, columns: null, rows: rows.length },
    parts: () => [rows.length],
    readPart: async () => rows.map((fields, row) => rowOf(fields, name, row)),
    close: () => file.close(),
  }
}

/** A file that begins with a bracket, and is JSON, is an array. */
const parse = (text: string, name: string) =>
  parseJson(
    text,
    (problem, cause) => new DatasetError('DATASET_FILE', `${name} ${problem}.`, cause),
  ) as readonly unknown[]

function rowOf(fields: unknown, file: string, row: number): ReadRow {
  if (typeof fields === 'object' && fields !== null && !Array.isArray(fields))
    return { file, row, fields: fields as Record<string, unknown> }
  return { file, row, rows: 1, field: null, reason: 'is not a JSON object' }
}
