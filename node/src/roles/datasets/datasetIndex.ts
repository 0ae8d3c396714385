import { createHash } from 'node:crypto'
import type { Logger } from '#core/logger.ts'
import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import type { Proposals } from '#environments/environment.ts'
import { openDatasetTasks } from './datasetTasks.ts'

/** Recognizes proposed tasks that are from a dataset. The chain does not record it: a task is its text. */
type DatasetIndex = {
  /** The dataset's name if a task's text is from it; undefined for other texts, and for rows that are not read yet. */
  datasetOf(text: string): string | undefined
  /** Resolves once all rows are read, or reading was stopped. */
  read: Promise<void>
}

export type NamedDataset = { readonly path: string; readonly name: string }

/**
 * Reads a dataset in the background, and stores a hash of each task in the form in which proposers write it.
 *
 * @param signal - stops reading.
 * @throws {DatasetError} if no file can be read.
 * @throws {DatasetTasksError} if its columns are those of no format.
 */
export async function openDatasetIndex(
  { path, name }: NamedDataset,
  proposals: Pick<Proposals, 'tell'>,
  { logger, signal }: { logger: Logger; signal: AbortSignal },
): Promise<DatasetIndex> {
  const dataset = await openDatasetTasks(path, null, 'training')
  const known = new Set<string>()
  async function readAll(): Promise<void> {
    for await (const { task } of dataset.from({ pass: 0, taken: 0 })) {
      await yieldToEventLoop()
      if (signal.aborted) return
      const told = await proposals.tell(task)
      if ('text' in told) known.add(hashOf(told.text))
    }
    logger.info('tasks of a dataset are recognised', { dataset: name, rows: dataset.size, tasks: known.size })
  }
  const read = readAll()
    .catch(error => logger.warn('a dataset could not be read to its end', { dataset: name, tasks: known.size, error }))
    .finally(dataset.close)
  return { datasetOf: text => (known.has(hashOf(text)) ? name : undefined), read }
}

/** 96 bits of it tell millions of tasks apart. */
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64').slice(0, 16)
