import { type DatasetFormatName, type DatasetTask, datasetFormats, formatOf } from '#environments/builtIn.ts'
import { type Dataset, type DatasetUse, openDataset } from '#hub/datasets/openDataset.ts'
import { type DatasetPosition, shuffledRows } from '#hub/datasets/shuffledRows.ts'
import { isFault, type RowFault } from '#hub/datasets/table.ts'
import { DatasetTasksError } from './datasetTasksError.ts'

/** Rows that are not tasks, counted by reason, with the first of each. */
export type Refusal = { readonly reason: string; rows: number; readonly file: string; readonly row: number }

export type PlacedTask = {
  readonly task: DatasetTask
  /** File and row: unique in the dataset. */
  readonly place: string
  /** The position after it. */
  readonly next: DatasetPosition
}

type DatasetTasks = {
  readonly format: DatasetFormatName
  readonly rows: number
  /** Changes if one of its files does. */
  readonly stamp: string
  /** Tasks of one pass from a position on. Rows that are not tasks are counted in `refusals` and skipped. */
  from(position: DatasetPosition): AsyncGenerator<PlacedTask>
  refusals(): Refusal[]
  close(): Promise<void>
}

/**
 * Opens a dataset of tasks.
 *
 * @param seed - of the order; null for the file's own.
 * @throws {DatasetError} if no file can be read.
 * @throws {DatasetTasksError} if its columns are those of no format.
 */
export async function openDatasetTasks(path: string, seed: string | null, use: DatasetUse): Promise<DatasetTasks> {
  const dataset = await openDataset(path, use)
  const counted = new Map<string, Refusal>()
  const count = (file: string, row: number, reason: string, rows: number) => {
    const found = counted.get(reason)
    if (found) found.rows += rows
    else counted.set(reason, { reason, rows, file, row })
  }
  for (const { file, reason } of dataset.refused) count(file, 0, reason, 0)
  const name = await findFormat(dataset, path).catch(async error => {
    await dataset.close()
    throw error
  })
  const format = datasetFormats[name]
  const columns = [...format.needs, ...format.takes]
  return {
    format: name,
    rows: dataset.rows,
    stamp: dataset.stamp,
    refusals: () => [...counted.values()],
    close: dataset.close,
    async *from({ pass, taken }) {
      let at = taken
      for await (const row of shuffledRows(dataset, columns, seed, { pass, taken })) {
        at += isFault(row) ? row.rows : 1
        if (isFault(row)) {
          count(row.file, row.row, reasonOf(row), row.rows)
          continue
        }
        const place = `${row.file}:${row.row}`
        const task = await format.read(row.fields, place)
        if ('reason' in task) count(row.file, row.row, reasonOf(task), 1)
        else yield { task, place, next: { pass, taken: at } }
      }
    },
  }
}

const reasonOf = ({ field, reason }: Pick<RowFault, 'field' | 'reason'>) =>
  field === null ? reason : `${field} ${reason}`

/** A row of JSON may leave out what it has no value for. */
const ROWS_LOOKED_AT = 100

/** By the columns of the first Parquet file, or the first row of JSON, that has those of a format. */
async function findFormat(dataset: Dataset, path: string): Promise<DatasetFormatName> {
  let first: readonly string[] | null = null
  for await (const columns of columnsIn(dataset)) {
    const found = formatOf(columns)
    if (found) return found
    first ??= columns
  }
  const known = Object.entries(datasetFormats).map(([name, { needs }]) => `${name}: ${needs.join(', ')}`)
  throw new DatasetTasksError(
    `${path} has ${first ? `the columns ${first.slice(0, 20).join(', ').slice(0, 300)}` : 'no whole row'}, which are those of no format.`,
    { hint: `Required columns by format: ${known.join('; ')}.` },
  )
}

async function* columnsIn({ tables }: Dataset): AsyncGenerator<readonly string[]> {
  for (const table of tables) {
    if (table.columns !== null) yield table.columns
    else if (table.rows > 0)
      for (const row of (await table.readPart(0, [])).slice(0, ROWS_LOOKED_AT))
        if (!isFault(row)) yield Object.keys(row.fields)
  }
}
