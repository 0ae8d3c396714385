import { type DatasetFormatName, type DatasetTask, datasetFormats, formatOf } from '#environments/builtIn.ts'
import { type Dataset, type DatasetUse, openDataset } from '#hub/datasets/openDataset.ts'
import { type DatasetPosition, shuffledRows } from '#hub/datasets/shuffledRows.ts'
import { isFault, type RowFault, type Table, type TableRow } from '#hub/datasets/table.ts'
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

/** Rows that are not tasks: their number, and the position after them. */
export type SkippedRows = { readonly skipped: number; readonly next: DatasetPosition }

type DatasetTasks = {
  readonly format: DatasetFormatName
  /** Number of its rows. */
  readonly size: number
  /** Changes if one of its files does. */
  readonly stamp: string
  /** Tasks of one pass from a position on. Rows that are not tasks are counted in `refusals`, and left out. */
  from(position: DatasetPosition): AsyncGenerator<PlacedTask>
  /** The same, with the rows that are left out. */
  rows(position: DatasetPosition): AsyncGenerator<PlacedTask | SkippedRows>
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
  async function* rows({ pass, taken }: DatasetPosition): AsyncGenerator<PlacedTask | SkippedRows> {
    let at = taken
    const skip = (fault: Pick<RowFault, 'field' | 'reason'>, { file, row }: TableRow | RowFault, skipped: number) => {
      count(file, row, reasonOf(fault), skipped)
      return { skipped, next: { pass, taken: at } }
    }
    for await (const row of shuffledRows(dataset, columns, seed, { pass, taken })) {
      at += isFault(row) ? row.rows : 1
      if (isFault(row)) {
        yield skip(row, row, row.rows)
        continue
      }
      const place = `${row.file}:${row.row}`
      const task = await format.read(row.fields, place)
      yield 'reason' in task ? skip(task, row, 1) : { task, place, next: { pass, taken: at } }
    }
  }

  return {
    format: name,
    rows,
    size: dataset.rows,
    stamp: dataset.stamp,
    refusals: () => [...counted.values()],
    close: dataset.close,
    async *from(position) {
      for await (const row of rows(position)) if ('task' in row) yield row
    },
  }
}

const reasonOf = ({ field, reason }: Pick<RowFault, 'field' | 'reason'>) =>
  field === null ? reason : `${field} ${reason}`

/** A row of JSON may leave out what it has no value for. */
const ROWS_LOOKED_AT = 100
/** Parts of a file of JSON in which a whole row is looked for: the first may be damaged. */
const PARTS_LOOKED_AT = 8

/** By the columns of the first Parquet file, or the first row of JSON, that has those of a format. */
async function findFormat(dataset: Dataset, path: string): Promise<DatasetFormatName> {
  let first: readonly string[] | null = null
  let fault: RowFault | null = null
  for await (const one of columnsIn(dataset)) {
    if ('reason' in one) {
      fault ??= one
      continue
    }
    const found = formatOf(one)
    if (found) return found
    first ??= one
  }
  const known = Object.entries(datasetFormats).map(([name, { needs }]) => `${name}: ${needs.join(', ')}`)
  if (first === null && fault !== null)
    throw new DatasetTasksError(`${path} has no whole row: ${fault.file}:${fault.row} ${reasonOf(fault)}.`, {
      hint: 'Each line is one row, a JSON object in UTF-8.',
    })
  throw new DatasetTasksError(
    `${path} has the columns ${first?.slice(0, 20).join(', ').slice(0, 300) ?? ''}, which are those of no format.`,
    { hint: `Required columns by format: ${known.join('; ')}.` },
  )
}

async function* columnsIn({ tables }: Dataset): AsyncGenerator<readonly string[] | RowFault> {
  for (const table of tables) {
    if (table.columns !== null) yield table.columns
    else yield* columnsOfRows(table)
  }
}

async function* columnsOfRows(table: Table): AsyncGenerator<readonly string[] | RowFault> {
  let whole = 0
  for (const part of table.parts([]).slice(0, PARTS_LOOKED_AT).keys()) {
    for (const row of await table.readPart(part, [])) {
      yield isFault(row) ? row : Object.keys(row.fields)
      if (!isFault(row) && ++whole === ROWS_LOOKED_AT) return
    }
  }
}
