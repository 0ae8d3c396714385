import { mapYielding } from '#core/threads/mapYielding.ts'
import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import { seededRandom } from '../../seededRandom.ts'
import { drawInputs } from './drawInputs.ts'
import { drawHeldOutTask } from './drawTask.ts'
import { semanticKey } from './semanticKey.ts'
import { type StrictTest, strictTests } from './strictTests.ts'
import type { Level, Task } from './task.ts'

/** Draws in a row without a new function after which a level counts as exhausted. */
const TRIES = 400

/**
 * The fixed held-out set of a level: measured by execution, never trained on. No two tasks ask for the same function.
 *
 * @returns at most `count` tasks: level 1 has 11.
 */
export async function canaryTasks(level: Level, count = 100): Promise<Task[]> {
  const random = seededRandom(`canary level ${level}`)
  const tasks = new Map<string, Task>()
  for (let repeated = 0; tasks.size < count && repeated < TRIES; ) {
    await yieldToEventLoop()
    const task = drawHeldOutTask(level, random)
    const key = semanticKey(task.meaning)
    repeated = tasks.has(key) ? repeated + 1 : 0
    if (repeated === 0) tasks.set(key, task)
  }
  return [...tasks.values()]
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
