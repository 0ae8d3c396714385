import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DatasetError } from './datasetError.ts'
import { isJsonArray, openJsonArray } from './jsonArrayTable.ts'
import { openJsonLines } from './jsonLinesTable.ts'
import { openFile } from './openFile.ts'
import { openParquet } from './openParquet.ts'
import type { Table } from './table.ts'

/** Files of a dataset, in a folder. One that is named may also be a JSON array: folders have other files of that ending. */
export const DATASET_FILE = /\.(parquet|jsonl|jsonl\.gz)$/

export type Dataset = {
  readonly tables: readonly Table[]
  readonly rows: number
  /** Files that cannot be read, and why. */
  readonly refused: readonly { readonly file: string; readonly reason: string }[]
  close(): Promise<void>
}

/**
 * Opens a file, or all files of a folder and its folders.
 *
 * @throws {DatasetError} if none can be read, or they hold no rows.
 */
export async function openDataset(path: string): Promise<Dataset> {
  const paths = await filesOf(path)
  const tables: Table[] = []
  const failures: { file: string; error: DatasetError }[] = []
  for (const file of paths) {
    try {
      tables.push(await openTable(file))
    } catch (error) {
      if (!(error instanceof DatasetError)) throw error
      failures.push({ file: basename(file), error })
    }
  }
  const [first] = failures
  if (tables.length === 0 && first) throw first.error
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const close = async () => void (await Promise.all(tables.map(table => table.close())))
  if (rows === 0) {
    await close()
    throw new DatasetError('DATASET_EMPTY', `${path} contains no rows.`)
  }
  const refused = failures.map(({ file, error }) => ({ file, reason: error.message }))
  return { tables, rows, refused, close }
}

/** @throws {DatasetError} */
async function openTable(path: string): Promise<Table> {
  const file = await openFile(path)
  let isKept = false
  try {
    const magic = Buffer.from(await file.read(0, Math.min(4, file.bytes))).toString('latin1')
    if (magic === 'PAR1' || path.endsWith('.parquet')) return await openParquet(path)
    const table = (await isJsonArray(file)) ? await openJsonArray(file) : await openJsonLines(file)
    isKept = true
    return table
  } finally {
    if (!isKept) await file.close()
  }
}

async function filesOf(path: string): Promise<string[]> {
  const found = await stat(path).catch(cause => {
    throw new DatasetError('DATASET_FILE', `${path} does not exist.`, cause)
  })
  if (!found.isDirectory()) return [path]
  const names = (await readdir(path, { recursive: true })).filter(name => DATASET_FILE.test(name)).sort()
  if (names.length > 0) return names.map(name => join(path, name))
  throw new DatasetError('DATASET_EMPTY', `${path} contains no dataset files.`)
}
