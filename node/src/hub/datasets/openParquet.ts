import { basename } from 'node:path'
import { Worker } from 'node:worker_threads'
import { askThread } from '#base/threads/askThread.ts'
import { WorkerError } from '#base/threads/sentError.ts'
import { DatasetError } from './datasetError.ts'
import type { ParquetLayout } from './parquetTable.ts'
import type { ReadRow, Table } from './table.ts'

type ParquetLimits = {
  /** Of one row group, or the footer. 60 s: a group of 512 MB takes some 10. */
  readonly timeoutMs?: number
}

/** Rows of a group are kept as JavaScript's values, three times their size. */
const MAX_MEGABYTES = 2048

/**
 * Opens a Parquet file. Each read runs in its own thread: a hostile file can make its reader allocate or loop without end, which then ends
 * only the thread.
 *
 * @throws {DatasetError} if the footer is damaged.
 */
export async function openParquet(path: string, { timeoutMs = 60_000 }: ParquetLimits = {}): Promise<Table> {
  const file = basename(path)
  const read = (operation: 'readLayout' | 'readGroup', args: readonly unknown[]) =>
    inThread(path, operation, args, timeoutMs)
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
    file,
    columns,
    groups,
    async readGroup(group, wanted) {
      try {
        return (await read('readGroup', [group, wanted])) as ReadRow[]
      } catch (error) {
        if (!(error instanceof WorkerError)) throw error
        const row = groups.slice(0, group).reduce((sum, rows) => sum + rows, 0)
        return [{ file, row, rows: groups[group] as number, field: null, reason: error.message }]
      }
    },
    close: async () => {},
  }
}

async function inThread(
  path: string,
  operation: 'readLayout' | 'readGroup',
  args: readonly unknown[],
  timeoutMs: number,
) {
  const worker = new Worker(new URL('./parquetThread.ts', import.meta.url), {
    workerData: path,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
  })
  const thread = askThread<typeof operation>(worker, () => ended('reading took more memory than there may be'))
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
