import { mapYielding } from '#core/threads/mapYielding.ts'
import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import { seededRandom } from '../../seededRandom.ts'
import { drawInputs } from './drawInputs.ts'
import { drawHeldOutTask } from './drawTask.ts'
import { semanticKey } from './semanticKey.ts'
import { type StrictTest, strictTests } from './strictTests.ts'
import type { Level, Task } from './task.ts'

/**
 * The fixed held-out set of a level: measured by execution, never trained on.
 *
 * Functions are distinct while the level has enough of them (level 1 does not).
 */
export async function canaryTasks(level: Level, count = 100): Promise<Task[]> {
  const random = seededRandom(`canary level ${level}`)
  const tasks: Task[] = []
  const seen = new Set<string>()
  for (let tries = 0; tasks.length < count; tries++) {
    await yieldToEventLoop()
    const task = drawHeldOutTask(level, random)
    const key = semanticKey(task.meaning)
    if (seen.has(key) && tries < 4 * count) continue
    seen.add(key)
    tasks.push(task)
  }
  return tasks
}

/** The tests that a canary task is measured by: always the same. */
export function canaryTests(task: Task, level: Level, at: number): StrictTest[] {
  return strictTests(task, drawInputs(task.meaning, seededRandom(`canary inputs ${level} ${at}`)))
}

/** A canary task with its tests. */
type CanaryCase = { task: Task; tests: StrictTest[] }

export async function canaryCases(level: Level, count = 100): Promise<CanaryCase[]> {
  return mapYielding(await canaryTasks(level, count), (task, i) => ({ task, tests: canaryTests(task, level, i) }))
}
