import { z } from 'zod'
import type { Level } from '../../level.ts'
import { canaryCases } from '../curriculum/canaryTasks.ts'
import { problemText } from '../prompts.ts'
import {
  answerCode,
  type DatasetTask,
  datasetLimits,
  type FieldFault,
  functionSystem,
  programSystem,
} from './datasetTask.ts'
import { faultOf, id, optionalText, text, texts } from './fieldSchemas.ts'
import { readAsserts, readHumanEval, readMbpp } from './functionTasks.ts'
import { checkProgram, pythonText, type Sample } from './programHarness.ts'

export type DatasetFormat = {
  /** Columns that identify the format; all are required. */
  readonly needs: readonly string[]
  /** Optional columns. */
  readonly takes: readonly string[]
  /** False for splits reserved for measurement. */
  readonly mayTrain: boolean
  /** @param place - identifies the row if the dataset does not. */
  read(fields: object, place: string): Promise<DatasetTask | FieldFault>
}

/** The formats of datasets, each identified by its columns; the first that fits is used. */
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

/** The format of a table with these columns; null if it is unknown. */
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
    check: answer => ({ code: answerCode(answer, task.name), tests }),
  }))
}

const samples = z.object({ input: texts, output: texts }, 'is not a structure of the lists input and output').nullish()
const contestSchema = z.object({
  name: id,
  description: text,
  public_tests: samples,
  private_tests: samples,
  generated_tests: samples,
  input_file: optionalText,
})

/** A row of CodeContests. @see Li et al., arXiv:2203.07814 */
async function readContest(fields: object, place: string): Promise<DatasetTask | FieldFault> {
  const { success, data, error } = contestSchema.safeParse(fields)
  if (!success) return faultOf(error)
  if (data.input_file !== '') return { field: 'input_file', reason: 'names a file: only standard input is given' }
  const found: Sample[] = []
  for (const field of ['public_tests', 'private_tests', 'generated_tests'] as const) {
    const { input = [], output = [] } = data[field] ?? {}
    if (input.length !== output.length) return { field, reason: 'has inputs and outputs of other counts' }
    found.push(...pairs(input, output))
  }
  return programTask(String(data.name ?? place), data.description, found, 'public_tests')
}

const programSchema = z.object({ id, text, inputs: texts, outputs: texts })

/** A row of Waggle's own schema that asks for a program. */
async function readProgram(fields: object, place: string): Promise<DatasetTask | FieldFault> {
  const { success, data, error } = programSchema.safeParse(fields)
  if (!success) return faultOf(error)
  const { inputs, outputs } = data
  if (inputs.length !== outputs.length) return { field: 'outputs', reason: 'are not as many as inputs' }
  return programTask(String(data.id ?? place), data.text, pairs(inputs, outputs), 'inputs')
}

const pairs = (input: readonly string[], output: readonly string[]): Sample[] =>
  input.map((given, at) => ({ input: given, output: output[at] as string }))

function programTask(
  name: string,
  description: string,
  all: readonly Sample[],
  field: string,
): DatasetTask | FieldFault {
  // Longer ones would not fit the time of a case; an answer still has to pass all of the others.
  const short = all.filter(({ input, output }) => Math.max(input.length, output.length) <= datasetLimits.textCharacters)
  const used = short.slice(0, datasetLimits.tests)
  if (used.length === 0)
    return { field, reason: all.length > 0 ? 'has only tests that are too long' : 'contains no test' }
  const [example] = used as [Sample]
  return {
    id: name,
    system: programSystem,
    question: `${description.trim()}\n\nExample input:\n${example.input.slice(0, 1_000).trimEnd()}\n\nIts output:\n${example.output.slice(0, 1_000).trimEnd()}`,
    function: asFunction(description, used),
    check: answer => checkProgram(answerCode(answer, null), used),
  }
}

/** The same as a function from text to text, which is what proposals ask for. */
function asFunction(description: string, used: readonly Sample[]): DatasetTask['function'] {
  const text = `Return the text that a program would print that reads the text given. ${description.replace(/\s+/g, ' ').trim()}`
  const asserts = used.map(({ input, output }) => `assert solve(${pythonText(input)}) == ${pythonText(output)}`)
  return { problem: { name: 'solve', parameters: ['given'], text }, asserts }
}
