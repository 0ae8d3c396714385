import { createHash } from 'node:crypto'
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

type Sample = { readonly input: string; readonly output: string }

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
    check: answer => ({
      code: harness(answerCode(answer, null)),
      tests: used.map(({ input, output }) => ({
        expression: `_run(${literal(input)})`,
        expected: `'${hashOf(output)}'`,
      })),
    }),
  }
}

/** The same as a function from text to text, which is what proposals ask for. */
function asFunction(description: string, used: readonly Sample[]): DatasetTask['function'] {
  const text = `Return the text that a program would print that reads the text given. ${description.replace(/\s+/g, ' ').trim()}`
  const asserts = used.map(({ input, output }) => `assert solve(${literal(input)}) == ${literal(output)}`)
  return { problem: { name: 'solve', parameters: ['given'], text }, asserts }
}

/**
 * Runs a program on one input. Its output is returned as a hash of its words: a repr of the sandbox has at most 400 bytes, and the program does not
 * know the expected output.
 *
 * Solutions of contests also read file 0, or run in a thread for its larger stack: the sandbox has neither.
 */
const harness = (program: string) => `
import hashlib as _hashlib, io as _io, sys as _sys, threading as _threading
_threading.Thread.start = lambda thread: thread.run()
_threading.Thread.join = lambda thread, timeout=None: None
_threading.stack_size = lambda size=0: 0
_program = compile(${literal(program)}, 'program', 'exec')
def _run(given):
    def input_file():
        return _io.TextIOWrapper(_io.BytesIO(given.encode()), encoding='utf-8')
    def open_file(file, mode='r', *more, **named):
        if file not in (0, '/dev/stdin'):
            return open(file, mode, *more, **named)
        return input_file().detach() if 'b' in mode else input_file()
    kept = _sys.stdin, _sys.stdout
    out = _io.BytesIO()
    printed = _io.TextIOWrapper(out, encoding='utf-8', write_through=True)
    _sys.stdin = input_file()
    _sys.stdout = printed
    try:
        exec(_program, {'__name__': '__main__', 'open': open_file})
    except SystemExit:
        pass
    finally:
        _sys.stdin, _sys.stdout = kept
    printed.flush()
    return _hashlib.sha256(b' '.join(out.getvalue().split())).hexdigest()
`

/** JSON's texts are valid in Python, except for lone surrogates, which the sandbox refuses. */
const literal = (value: string) => JSON.stringify(value)

/** As bytes.split: words are separated by ASCII white space. */
const hashOf = (output: string) =>
  createHash('sha256')
    .update(
      output
        .split(/[ \t\n\r\v\f]+/)
        .filter(Boolean)
        .join(' '),
    )
    .digest('hex')
