import { drawHeldOutTask } from './drawTask.ts'
import { seededRandom } from './seededRandom.ts'
import { semanticKey } from './semanticKey.ts'
import type { Level, Task } from './task.ts'

/**
 * The fixed held-out set of a level: measured by execution, never trained on.
 *
 * Functions are distinct while the level has enough of them (levels 1 and 2 do not).
 */
export function canaryTasks(level: Level, count = 100): Task[] {
  const random = seededRandom(`waggle canary level ${level}`)
  const tasks: Task[] = []
  const seen = new Set<string>()
  for (let tries = 0; tasks.length < count; tries++) {
    const task = drawHeldOutTask(level, random)
    const key = semanticKey(task.meaning)
    if (seen.has(key) && tries < 4 * count) continue
    seen.add(key)
    tasks.push(task)
  }
  return tasks
}
