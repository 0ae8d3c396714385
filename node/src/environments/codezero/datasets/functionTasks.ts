import { z } from 'zod'
import { problemText } from '../prompts.ts'
import { alwaysTrue } from '../python/alwaysTrue.ts'
import { callArguments } from '../python/callArguments.ts'
import { functionHeader } from '../python/functionHeader.ts'
import { parsePython } from '../python/parsePython.ts'
import type { PythonNode } from '../python/pythonNode.ts'
import {
  answerCode,
  conditionTests,
  type DatasetTask,
  datasetLimits,
  type FieldFault,
  functionSystem,
} from './datasetTask.ts'
import { faultOf, id, identifier, optionalText, text, texts } from './fieldSchemas.ts'

/** A dataset's fields for a function to write. */
type FunctionRow = {
  readonly id: string
  readonly text: string
  readonly tests: readonly string[]
  /** Name of the field that holds the tests. */
  readonly field: string
  /** A solution, which names function and parameters; never shown and never run. */
  readonly code: string
  /** Run before the answer. */
  readonly setup: string
  readonly name?: string | undefined
  readonly parameters?: readonly string[] | undefined
}

/** A task of asserts: the function's name and parameters are those of the row, of its solution, or of its tests, in this order. */
async function functionTask(row: FunctionRow): Promise<DatasetTask | FieldFault> {
  const tests = row.tests.slice(0, datasetLimits.tests)
  if (tests.length === 0) return { field: row.field, reason: 'is empty' }
  const read = await Promise.all(tests.map(readCondition))
  const conditions = read.filter(condition => condition !== null)
  if (conditions.length < tests.length)
    return { field: row.field, reason: 'contains a test that is not of the form assert CONDITION' }
  const form = conditions.map(alwaysTrue).find(found => found !== null)
  if (form) return { field: row.field, reason: `contains a test that is always true: its condition is ${form}` }
  const defined = await definedFunctions(row.code)
  const names = row.name === undefined ? (defined.size > 0 ? new Set(defined.keys()) : null) : new Set([row.name])
  const call = conditions.map(condition => testedCall(condition, names)).find(found => found !== null)
  if (!call) return { field: row.field, reason: 'calls no function that is asked for' }
  const parameters = row.parameters ?? defined.get(call.name) ?? call.parameters
  if (parameters === null) return { field: row.field, reason: `does not tell the parameters of ${call.name}` }
  const problem = { name: call.name, parameters, text: row.text.replace(/\s+/g, ' ').trim() }
  return {
    id: row.id,
    system: functionSystem,
    question: problemText(problem),
    function: { problem, asserts: tests },
    check: answer => ({
      code: `${row.setup}\n${answerCode(answer, problem.name)}`,
      tests: conditionTests(conditions.map(condition => condition.text)),
    }),
  }
}

const mbppSchema = z.object({
  task_id: id,
  text: text.optional(),
  prompt: text.optional(),
  code: optionalText,
  test_list: texts,
  test_setup_code: optionalText,
  test_imports: texts.nullish(),
})

/** A row of MBPP, full or sanitized. @see Austin et al., arXiv:2108.07732 */
export async function readMbpp(fields: object, place: string): Promise<DatasetTask | FieldFault> {
  const { success, data, error } = mbppSchema.safeParse(fields)
  if (!success) return faultOf(error)
  const asked = data.text ?? data.prompt
  if (asked === undefined) return { field: 'text', reason: 'is missing' }
  const setup = [...(data.test_imports ?? []), data.test_setup_code].join('\n')
  const { code, test_list: tests } = data
  return functionTask({ id: String(data.task_id ?? place), text: asked, tests, field: 'test_list', code, setup })
}

const waggleSchema = z.object({
  id,
  text,
  tests: texts,
  name: identifier.nullish(),
  parameters: z.array(identifier).nullish(),
  setup: optionalText,
})

/** A row of Waggle's own schema. */
export async function readAsserts(fields: object, place: string): Promise<DatasetTask | FieldFault> {
  const { success, data, error } = waggleSchema.safeParse(fields)
  if (!success) return faultOf(error)
  const { name, parameters, text: asked, tests, setup } = data
  return functionTask({
    ...{ id: String(data.id ?? place), text: asked, tests, field: 'tests', code: '', setup },
    name: name ?? undefined,
    parameters: parameters ?? undefined,
  })
}

const humanEvalSchema = z.object({ task_id: id, prompt: text, entry_point: identifier, test: text })

/** A row of HumanEval: a header with a docstring to complete. @see Chen et al., arXiv:2107.03374 */
export async function readHumanEval(fields: object, place: string): Promise<DatasetTask | FieldFault> {
  const { success, data, error } = humanEvalSchema.safeParse(fields)
  if (!success) return faultOf(error)
  const { prompt, entry_point: name, test } = data
  if (!/^def check\(/m.test(test)) return { field: 'test', reason: 'defines no check' }
  return {
    id: String(data.task_id ?? place),
    system: functionSystem,
    question: `Complete this function. Answer with the whole function.\n\n\`\`\`python\n${prompt.trimEnd()}\n\`\`\``,
    function: null,
    check: answer => ({
      // The header first, for its imports and its helpers; definitions of the answer replace it.
      code: `${prompt.trimEnd()}\n    pass\n\n${answerCode(answer, name)}\n\n${test}`,
      tests: [{ expression: `check(${name})`, expected: 'None' }],
    }),
  }
}

/** The condition of a test that is one `assert CONDITION`, with or without a message; null for any other test. */
async function readCondition(test: string): Promise<PythonNode | null> {
  const tree = await parsePython(test.trim().replaceAll('\r\n', '\n'))
  const [statement, ...others] = tree ? tree.children : []
  if (statement?.type !== 'AssertStatement' || others.length > 0) return null
  return statement.children[1] ?? null
}

type TestedCall = {
  readonly name: string
  /** By position `a`, `b` and so on, by keyword its own name; null if the call does not tell how many there are. */
  readonly parameters: readonly string[] | null
}

/** The call that a condition tests: the first one of a name that the code defines, or of any name if there is no code. */
function testedCall(condition: PythonNode, defined: ReadonlySet<string> | null): TestedCall | null {
  if (condition.type === 'CallExpression') {
    const [callee, list] = condition.children
    const isTested =
      callee?.type === 'VariableName' && (defined === null ? !builtIns.has(callee.text) : defined.has(callee.text))
    if (isTested) return { name: callee.text, parameters: list ? parametersOf(callArguments(list)) : [] }
  }
  for (const child of condition.children) {
    const found = testedCall(child, defined)
    if (found) return found
  }
  return null
}

/** @param values - of a call, each by its nodes. */
function parametersOf(values: readonly PythonNode[][]): string[] | null {
  const keywords = values.map(([first, second]) => (second?.type === 'AssignOp' ? first?.text : undefined))
  const others = [...'abcdefghijklmnopqrstuvwxyz'].filter(letter => !keywords.includes(letter))
  const isKnown = values.every(([first]) => first?.type !== '*' && first?.type !== '**')
  return isKnown && values.length <= others.length
    ? keywords.map(keyword => keyword ?? (others.shift() as string))
    : null
}

/** Names and parameters of the functions that code defines at the top level; null parameters if a call by position is not enough. */
async function definedFunctions(code: string): Promise<Map<string, readonly string[] | null>> {
  const tree = await parsePython(code.replaceAll('\r\n', '\n'))
  const headers = tree ? tree.children.flatMap(statement => functionHeader(statement) ?? []) : []
  return new Map(headers.map(({ name, positional, needsKeyword }) => [name, needsKeyword ? null : positional]))
}

/** Functions that wrap a call in tests. */
const builtIns = new Set(
  'set sorted list tuple dict len abs round str int float bool sum max min any all isinstance'.split(' '),
)
