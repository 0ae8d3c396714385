import { resolve } from 'node:path'
import { z } from 'zod'
import { datasetFormats } from '#environments/builtIn.ts'
import type { Proposals } from '#environments/environment.ts'
import type { DatasetPosition } from '#hub/datasets/shuffledRows.ts'
import type { JsonValue } from '#store/journal.ts'
import { openDatasetTasks, type PlacedTask, type Refusal, type SkippedRows } from '../datasets/datasetTasks.ts'
import { DatasetTasksError } from '../datasets/datasetTasksError.ts'
import { createTaskBacklog, type ReadTask } from './taskBacklog.ts'
import { MISSES, NO_SPACE, type TaskList } from './taskList.ts'

/** Most tasks that are read at once, so that a dataset in which nothing fits does not delay a round. */
const MAX_TASKS_READ = 1_000
/** Most other rows that are read: a tenth of the time of a task each. */
const MAX_ROWS_SKIPPED = 10_000

const positionSchema = z.object({ pass: z.int().min(0), taken: z.int().min(0) })

/** A dataset whose tasks a peer proposes, from where it stopped. */
export type DatasetProposer = {
  /**
   * Puts tasks into a list, in the dataset's shuffled order, until it has `count` more, their part of its bytes is used, or the time is up. Starts
   * over at the dataset's end. Tasks that find no space are offered to the next list first, and with them those of a list that did not get onto the
   * chain.
   */
  take(list: TaskList, count: number, until: AbortSignal): Promise<void>
  /** Says that the last list is on the chain. */
  proposed(): void
  /** Position at which the next start resumes, for a journal: of the first task that waits for space or for the chain. Those after the stored one are proposed again. */
  position(): JsonValue
  /** Rows that are not tasks, by reason. */
  refusals(): Refusal[]
  close(): Promise<void>
}

/**
 * Opens a dataset to propose from.
 *
 * @param seed - of the order of its rows.
 * @param kept - an earlier `position()`; ignored if it is of another dataset or order.
 * @throws {DatasetError} if no file can be read.
 * @throws {DatasetTasksError} if its format is unknown, or it is for measuring only.
 */
export async function openDatasetProposer(
  path: string,
  seed: string,
  proposals: Pick<Proposals, 'tell'>,
  kept: JsonValue | undefined,
): Promise<DatasetProposer> {
  const dataset = await openDatasetTasks(path, seed, 'training')
  if (!datasetFormats[dataset.format].mayTrain) {
    await dataset.close()
    throw new DatasetTasksError(`${path} is a dataset for measuring (${dataset.format}), and never trained on.`, {
      hint: 'Propose from another one. npx waggle eval --dataset measures a model on this one.',
    })
  }
  const of = { path: resolve(path), seed, format: dataset.format, rows: dataset.size }
  let at: DatasetPosition = positionOf(kept, of) ?? { pass: 0, taken: 0 }
  let rows = dataset.rows(at)
  /** Whether this pass found a task: the first that finds none is the last. */
  let isFruitful = at.taken > 0
  const next = async (): Promise<PlacedTask | SkippedRows | null> => {
    for (;;) {
      const { value, done } = await rows.next()
      if (!done) {
        isFruitful ||= 'task' in value
        at = value.next
        return value
      }
      if (!isFruitful) return null
      isFruitful = false
      at = { pass: at.pass + 1, taken: 0 }
      rows = dataset.rows(at)
    }
  }
  const backlog = createTaskBacklog()
  return {
    async take(list, count, until) {
      const most = list.bytesAfter(count)
      let [left, misses, isFirst] = [Math.min(count, list.wanted()), 0, true]
      const isOver = () => left <= 0 || misses >= MISSES || until.aborted
      const offer = async (one: ReadTask) => {
        // The first may take more than its part: otherwise long tasks would wait forever for a small share.
        const refused = await list.add(one.text, null, isFirst ? undefined : most)
        if (refused === NO_SPACE) {
          backlog.wait(one)
          misses++
        }
        if (refused !== null) return
        backlog.give(one)
        left--
        misses = 0
        isFirst = false
      }
      for (const one of backlog.takeFor(list)) {
        if (isOver()) backlog.wait(one)
        else await offer(one)
      }
      let [read, skipped] = [0, 0]
      while (!isOver() && read < MAX_TASKS_READ && skipped < MAX_ROWS_SKIPPED && read + skipped < dataset.size) {
        const before = at
        const placed = await next()
        if (placed === null) return
        if ('skipped' in placed) {
          skipped += placed.skipped
          continue
        }
        read += 1
        const told = await proposals.tell(placed.task)
        if ('reason' in told) list.refuse(`dataset: ${told.reason}`)
        else await offer({ text: told.text, at: before })
      }
    },
    proposed: backlog.proposed,
    position: () => ({ ...of, ...(backlog.position() ?? at) }),
    refusals: dataset.refusals,
    close: dataset.close,
  }
}

function positionOf(
  kept: JsonValue | undefined,
  of: Readonly<Record<string, string | number>>,
): DatasetPosition | null {
  const { success, data } = positionSchema.safeParse(kept)
  if (!success) return null
  const same = Object.entries(of).every(([key, value]) => (kept as Record<string, JsonValue>)[key] === value)
  return same ? data : null
}
