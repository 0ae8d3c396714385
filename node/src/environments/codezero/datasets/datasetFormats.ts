import type { Level } from '../../level.ts'
import { canaryCases } from '../curriculum/canaryTasks.ts'
import { problemText } from '../prompts.ts'
import { answerCode, type DatasetTask, type FieldFault, functionSystem } from './datasetTask.ts'
import { readAsserts, readHumanEval, readMbpp } from './functionTasks.ts'
import { readContest, readProgram } from './programTasks.ts'

export type DatasetFormat = {
  /** Columns by which it is known, all of them needed. */
  readonly needs: readonly string[]
  /** Columns that are read where they are. */
  readonly takes: readonly string[]
  /** False for what is kept for measuring. */
  readonly mayTrain: boolean
  /** @param place - names the row where the dataset does not. */
  read(fields: object, place: string): Promise<DatasetTask | FieldFault>
}

/** The formats of datasets, each known by its columns; the first that fits is taken. */
export const datasetFormats = {
  humaneval: { needs: ['prompt', 'entry_point', 'test'], takes: ['task_id'], mayTrain: false, read: readHumanEval },
  mbpp: {
    needs: ['test_list'],
    takes: ['task_id', 'text', 'prompt', 'code', 'test_setup_code', 'test_imports'],
    mayTrain: true,
    read: readMbpp,
  },
  codecontests: {
    needs: ['description', 'public_tests'],
    takes: ['name', 'private_tests', 'generated_tests', 'input_file'],
    mayTrain: true,
    read: readContest,
  },
  asserts: {
    needs: ['text', 'tests'],
    takes: ['id', 'name', 'parameters', 'setup'],
    mayTrain: true,
    read: readAsserts,
  },
  programs: { needs: ['text', 'inputs', 'outputs'], takes: ['id'], mayTrain: true, read: readProgram },
} as const satisfies Record<string, DatasetFormat>

export type DatasetFormatName = keyof typeof datasetFormats

/** The format of a table with these columns; null if it is none. */
export function formatOf(columns: readonly string[]): DatasetFormatName | null {
  const names = Object.keys(datasetFormats) as DatasetFormatName[]
  return names.find(name => datasetFormats[name].needs.every(column => columns.includes(column))) ?? null
}

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
