import { basename } from 'node:path'
import { Worker } from 'node:worker_threads'
import { askThread } from '#base/threads/askThread.ts'
import { WorkerError } from '#base/threads/workerCalls.ts'
import { DatasetError } from './datasetError.ts'
import type { ParquetLayout, RowRange } from './parquetTable.ts'
import type { ReadRow, Table } from './table.ts'

type ParquetOptions = {
  /** Name in the dataset. */
  readonly name?: string
  /** Time limit of one part, or of the footer. 60 s: a part of a row group of 512 MB takes about 10. */
  readonly timeoutMs?: number
  /** Unpacked bytes of the columns that are read. 32 MB: the hub's writers put 1,000 rows into a row group, which is hundreds of megabytes for CodeContests. */
  readonly partBytes?: number
}

/** Rows are JavaScript's values meanwhile, three times their size. */
const MAX_MEGABYTES = 2048

/**
 * Opens a Parquet file. Each read runs in its own thread: a hostile file can make its reader allocate or loop without end, which then ends
 * only the thread.
 *
 * @throws {DatasetError} if the footer is damaged.
 */
export async function openParquet(
  path: string,
  { name: file = basename(path), timeoutMs = 60_000, partBytes = 1 << 25 }: ParquetOptions = {},
): Promise<Table> {
  const read = (operation: 'readLayout' | 'readRows', args: readonly unknown[]) =>
    inThread({ path, name: file }, operation, args, timeoutMs)
  const { columns, groups } = await read('readLayout', []).then(
    layout => layout as ParquetLayout,
    cause => {
      const reason = cause instanceof WorkerError && cause.code === 'DATASET_FILE'
      throw new DatasetError(
        'DATASET_FILE',
        reason ? cause.message : `${file} cannot be read: ${cause.message}.`,
        cause,
      )
    },
  )
  return {
    ...{ file, columns, rows: groups.reduce((sum, { rows }) => sum + rows, 0) },
    parts: wanted => partsOf(groups, wanted, partBytes).map(({ rows }) => rows),
    async readPart(part, wanted) {
      const range = partsOf(groups, wanted, partBytes)[part] as RowRange
      try {
        return (await read('readRows', [range, wanted])) as ReadRow[]
      } catch (error) {
        if (!(error instanceof WorkerError)) throw error
        return [{ file, row: range.from, rows: range.rows, field: null, reason: error.message }]
      }
    },
    close: async () => {},
  }
}

/** Row groups, with large ones divided into equal parts, by the footer. */
function partsOf(groups: ParquetLayout['groups'], columns: readonly string[], partBytes: number): RowRange[] {
  let before = 0
  return groups.flatMap(({ rows, columnBytes }) => {
    const bytes = columns.reduce((sum, column) => sum + (columnBytes[column] ?? 0), 0)
    const count = Math.min(rows, Math.max(1, Math.ceil(bytes / partBytes)))
    const first = before
    before += rows
    const at = (part: number) => first + Math.floor((part * rows) / count)
    return Array.from({ length: count }, (_, part) => ({ from: at(part), rows: at(part + 1) - at(part) }))
  })
}

async function inThread(
  workerData: { readonly path: string; readonly name: string },
  operation: 'readLayout' | 'readRows',
  args: readonly unknown[],
  timeoutMs: number,
) {
  const worker = new Worker(new URL('./parquetThread.ts', import.meta.url), {
    workerData,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
  })
  const thread = askThread<typeof operation>(worker, () => ended('reading took more memory than the limit'))
  const timer = setTimeout(() => void thread.stop(ended(`reading took longer than ${timeoutMs / 1000} s`)), timeoutMs)
  try {
    return await thread.ask(operation, args)
  } finally {
    clearTimeout(timer)
    await thread.stop(ended('read'))
  }
}

const ended = (message: string) =>
  new WorkerError({ message, code: 'DATASET_THREAD', hint: 'Export the dataset again.', retryable: false })
