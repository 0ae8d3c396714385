import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { filesStamp, type NamedFile } from '../filesStamp.ts'
import { DatasetError } from './datasetError.ts'
import { isJsonArray, openJsonArray } from './jsonArrayTable.ts'
import { openJsonLines } from './jsonLinesTable.ts'
import { openFile } from './openFile.ts'
import { openParquet } from './openParquet.ts'
import type { Table } from './table.ts'
import { findUnpackSpace, type UnpackSpace } from './unpackFile.ts'

/** Files of a dataset, in a folder. One that is named may also be a JSON array: folders have other files of that ending. */
export const DATASET_FILE = /\.(parquet|jsonl|jsonl\.gz)$/

/** Purpose of a dataset. A folder's test split is for measuring: it cannot measure a model that learned from it. */
export type DatasetUse = 'training' | 'measuring'

/** A test split by its folder or its file, as Hugging Face's library finds one: `test-00000-of-00001.parquet`, `full/test.jsonl`. */
const TEST_SPLIT = /(^|[-._ /\\\d])(test|testing|eval|evaluation)([-._ /\\\d]|$)/i

export type Dataset = {
  readonly tables: readonly Table[]
  readonly rows: number
  /** Changes if one of its files is changed, added or removed: see {@link filesStamp}. */
  readonly stamp: string
  /** Files that cannot be read, or are not for this use, with the reasons. */
  readonly refused: readonly { readonly file: string; readonly reason: string }[]
  close(): Promise<void>
}

/**
 * Opens a file, or the files of a folder and its subfolders: for training without its test splits, for measuring only these, if there are any. A
 * file that is given itself is always opened.
 *
 * @param space - for its unpacked files; found on the disk, except for tests.
 * @throws {DatasetError} if none can be read, they hold no rows, or the temporary folder cannot take all unpacked files: its free space must not decide which tasks
 * are measured or proposed.
 */
export async function openDataset(path: string, use: DatasetUse, space?: UnpackSpace): Promise<Dataset> {
  const { wanted, leftOut } = await filesOf(path, use)
  const stamp = await filesStamp(wanted)
  const unpacked = space ?? (await findUnpackSpace())
  const tables: Table[] = []
  const close = async () => void (await Promise.all(tables.map(table => table.close())))
  const failures: { file: string; error: DatasetError }[] = []
  for (const file of wanted) {
    try {
      tables.push(await openTable(file, unpacked))
    } catch (error) {
      if (!(error instanceof DatasetError && error.code !== 'DATASET_UNPACK')) {
        await close()
        throw error
      }
      failures.push({ file: file.name, error })
    }
  }
  const [first] = failures
  if (tables.length === 0 && first) throw first.error
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  if (rows === 0) {
    await close()
    throw new DatasetError('DATASET_EMPTY', `${path} contains no rows.`)
  }
  const damaged = failures.map(({ file, error }) => ({ file, reason: error.message }))
  const held = leftOut.map(({ name }) => ({ file: name, reason: 'is a test split, which is for measuring' }))
  return { tables, rows, stamp, refused: [...damaged, ...held], close }
}

/** @throws {DatasetError} */
async function openTable({ path, name }: NamedFile, space: UnpackSpace): Promise<Table> {
  const file = await openFile(path, name)
  let isKept = false
  try {
    const magic = Buffer.from(await file.read(0, Math.min(4, file.bytes))).toString('latin1')
    if (magic === 'PAR1' || path.endsWith('.parquet')) return await openParquet(path, { name })
    const table = (await isJsonArray(file)) ? await openJsonArray(file) : await openJsonLines(file, space)
    isKept = true
    return table
  } finally {
    if (!isKept) await file.close()
  }
}

async function filesOf(path: string, use: DatasetUse): Promise<{ wanted: NamedFile[]; leftOut: NamedFile[] }> {
  const found = await stat(path).catch(cause => {
    throw new DatasetError('DATASET_FILE', `${path} does not exist.`, cause)
  })
  if (!found.isDirectory()) return { wanted: [{ path, name: basename(path) }], leftOut: [] }
  const names = (await readdir(path, { recursive: true })).filter(name => DATASET_FILE.test(name)).sort()
  if (names.length === 0) throw new DatasetError('DATASET_EMPTY', `${path} contains no dataset files.`)
  const isTest = (name: string) => TEST_SPLIT.test(name.replace(DATASET_FILE, ''))
  const within = (some: string[]) => some.map(name => ({ path: join(path, name), name }))
  const tests = names.filter(isTest)
  if (use === 'measuring') return { wanted: within(tests.length > 0 ? tests : names), leftOut: [] }
  const wanted = names.filter(name => !isTest(name))
  if (wanted.length > 0) return { wanted: within(wanted), leftOut: within(tests) }
  throw new DatasetError('DATASET_EMPTY', `${path} contains only test splits, which are for measuring.`)
}
