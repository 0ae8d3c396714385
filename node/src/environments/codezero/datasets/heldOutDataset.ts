import type { Level } from '../../level.ts'
import { canaryCases } from '../curriculum/canaryTasks.ts'
import { problemText } from '../prompts.ts'
import { answerCode, type DatasetTask, functionSystem } from './datasetTask.ts'

/** The held-out tasks of a level as a dataset, for models from outside a swarm. */
export async function heldOutDataset(level: Level, count: number): Promise<DatasetTask[]> {
  const cases = await canaryCases(level, count)
  return cases.map(({ task, tests }, at) => ({
    id: `held-out ${level}/${at}`,
    system: functionSystem,
    question: problemText(task),
    function: null,
    check: answer => ({ code: answerCode(answer), tests }),
  }))
}
