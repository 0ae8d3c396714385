import type { DatasetPosition } from '#hub/datasets/shuffledRows.ts'
import type { TaskList } from './taskList.ts'

/** A dataset's task that is not on the chain, and the position of its row. */
export type ReadTask = { readonly text: string; readonly at: DatasetPosition }

const byPosition = ({ at: one }: ReadTask, { at: other }: ReadTask) => one.pass - other.pass || one.taken - other.taken

/** Tasks that were read and are not on the chain: those that wait for space, and those of the last list, until it is there. */
export function createTaskBacklog() {
  const waiting: ReadTask[] = []
  let given: { readonly list: TaskList; readonly tasks: ReadTask[] } | null = null
  return {
    /** Removes all that wait, to be offered to a list: also those of an earlier list that did not get onto the chain. */
    takeFor(list: TaskList): ReadTask[] {
      if (given?.list !== list) {
        waiting.push(...(given?.tasks ?? []))
        given = { list, tasks: [] }
      }
      return waiting.splice(0).sort(byPosition)
    },
    wait: (task: ReadTask) => void waiting.push(task),
    /** The list has taken a task. */
    give: (task: ReadTask) => void given?.tasks.push(task),
    /** The list is on the chain. */
    proposed: () => {
      given = null
    },
    /** Position of the first of all; undefined if there is none. */
    position: () => [...waiting, ...(given?.tasks ?? [])].sort(byPosition)[0]?.at,
  }
}
