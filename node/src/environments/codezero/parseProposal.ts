import { knownFunctions } from './canonical/curriculumForms.ts'
import { isOfCurriculum } from './curriculum/isOfCurriculum.ts'
import { parseTaskText } from './curriculum/parseTaskText.ts'
import { parsePythonLiteral, pythonRepr } from './curriculum/pythonValue.ts'
import { isConstant, isHeldOut } from './curriculum/semanticKey.ts'
import { levelOf, type Problem, parametersOf, type Task } from './curriculum/task.ts'
import { answerText, requestText } from './prompts.ts'
import { keywords } from './python/keywords.ts'
import { parsePython } from './python/parsePython.ts'
import type { PythonNode } from './python/pythonNode.ts'
import { readsParameters } from './python/readsParameters.ts'
import { checkStructure } from './structure.ts'

/** A problem and its unit tests, as a proposer wrote them: each test is `assert name(arguments) == value`. */
export type Proposal = { problem: Problem; tests: readonly string[] }

export const proposalLimits = {
  problemCharacters: 2_000,
  brokenCharacters: 1_500,
  tests: 4,
  testCharacters: 400,
  parameters: 8,
} as const

/** Reasons why a text is not a valid proposal. */
export type ProposalFault =
  | 'no header'
  | 'text too long'
  | 'not asked for'
  | 'no broken function'
  | 'no tests'
  | 'too many tests'
  | 'test malformed'
  | 'tests contradict each other'

/** A proposal as text; `parseProposal` is the inverse. */
export function formatProposal({ problem, tests }: Proposal): string {
  return [requestText(problem), ...tests].join('\n')
}

/**
 * Reads a proposal strictly: a line `Write name(parameters). text`, then one to four tests, one per line. With `Repair` instead of `Write`, a fenced
 * block between them has the broken function. It must have the form of an answer and read a parameter, so that it can be repaired.
 *
 * Nothing is executed. The parser is strict, so proposers learn the form.
 *
 * @param mayAsk - decides by the first line alone, before any Python is parsed: everybody reads everybody's proposals.
 */
export async function parseProposal(
  text: string,
  mayAsk: (asked: Problem) => boolean = () => true,
): Promise<Proposal | ProposalFault> {
  const [head = '', ...rest] = text.split('\n')
  const match = /^(Write|Repair) ([A-Za-z_]\w{0,39})\(([A-Za-z_]\w{0,19}(?:, [A-Za-z_]\w{0,19})*)\)\. (\S.*)$/.exec(
    head,
  )
  if (!match) return 'no header'
  const [, form, name = '', list = '', problem = ''] = match
  const parameters = list.split(', ')
  if (parameters.length > proposalLimits.parameters || new Set(parameters).size < parameters.length) return 'no header'
  if ([name, ...parameters].some(word => keywords.has(word))) return 'no header'
  if (problem.length > proposalLimits.problemCharacters) return 'text too long'
  const asked = { name, parameters, text: problem }
  if (!mayAsk(asked)) return 'not asked for'
  const broken = form === 'Repair' ? await brokenFunction(rest, asked) : undefined
  if (broken === null) return 'no broken function'
  const tests = rest.slice(broken === undefined ? 0 : broken.split('\n').length + 1)
  if (!tests.length) return 'no tests'
  if (tests.length > proposalLimits.tests) return 'too many tests'
  const read: UnitTest[] = []
  for (const test of tests) {
    const unit = await readUnitTest(test)
    if (unit === null || unit.name !== name || unit.args.length !== parameters.length) return 'test malformed'
    read.push(unit)
  }
  if (contradict(read)) return 'tests contradict each other'
  return { problem: { ...asked, ...(broken === undefined ? {} : { broken }) }, tests }
}

/** The code of the fenced block at the start of the lines; null if it does not have the form of an answer. */
async function brokenFunction(lines: readonly string[], problem: Problem): Promise<string | null> {
  const [open, ...code] = lines.slice(0, lines.indexOf('```'))
  const broken = `${code.join('\n')}\n`
  if (open !== '```python' || broken.length > proposalLimits.brokenCharacters) return null
  const { code: whole } = await checkStructure(answerText(broken), true, problem)
  // Extra code, which an answer may have, is refused here: it would be cut off.
  const tree = whole === broken ? await parsePython(whole) : null
  return tree && readsParameters(tree, problem) ? broken : null
}

/** The condition of a unit test, its call's arguments and its expected value, as source text. */
type UnitTest = { name: string; args: string[]; expected: string; condition: string }

/** Null if the text is not a unit test. */
export async function readUnitTest(test: string): Promise<UnitTest | null> {
  if (test.length > proposalLimits.testCharacters || !test.startsWith('assert ')) return null
  const tree = await parsePython(test)
  const [statement, ...others] = tree ? tree.children : []
  if (statement?.type !== 'AssertStatement' || others.length) return null
  const [, comparison, ...message] = statement.children
  if (comparison?.type !== 'BinaryExpression' || message.length) return null
  const [call, operator, expected] = comparison.children
  if (call?.type !== 'CallExpression' || operator?.text !== '==' || !expected || !isLiteral(expected)) return null
  const [callee, list] = call.children
  if (callee?.type !== 'VariableName' || list?.type !== 'ArgList') return null
  const args = list.children.filter(child => !['(', ')', ','].includes(child.type))
  if (!args.every(isLiteral)) return null
  return { name: callee.text, args: args.map(arg => arg.text), expected: expected.text, condition: comparison.text }
}

/** Whether two tests expect different values of one call. Values that are not int, str or list can be equal in other spellings: `1` and `1.0`. */
function contradict(tests: readonly UnitTest[]): boolean {
  const values = new Map<string, string>()
  return tests.some(({ args, expected }) => {
    const [call, value] = [canonicalLiteral(`[${args.join(', ')}]`), canonicalLiteral(expected)]
    if (call === null || value === null) return false
    const before = values.get(call) ?? value
    values.set(call, before)
    return before !== value
  })
}

/** The one spelling of an int, str or list; null for other literals. */
function canonicalLiteral(text: string): string | null {
  const value = parsePythonLiteral(text)
  return value === null ? null : pythonRepr(value)
}

const plainLiterals = ['Number', 'String', 'Boolean', 'None']
const containers = ['ArrayExpression', 'TupleExpression', 'DictionaryExpression', 'SetExpression']

function isLiteral(node: PythonNode): boolean {
  if (plainLiterals.includes(node.type)) return true
  const [sign, number] = node.children
  if (node.type === 'UnaryExpression') return sign?.type === 'ArithOp' && number?.type === 'Number'
  if (!containers.includes(node.type)) return false
  return node.children.every(child => ['[', ']', '(', ')', '{', '}', ',', ':'].includes(child.type) || isLiteral(child))
}

/** Reasons why a problem may not be trained on. */
export type Refusal = 'not understood' | 'held out' | 'wrong parameters' | 'constant' | 'not of the curriculum'

/** The rule of an environment's specification for tasks that may be trained on. */
type TaskRule = 'understood' | 'wellFormed'

/**
 * A problem as a task that may be trained on, or the reason why not.
 *
 * The gate before all training: own tasks, proposals and groups of peers have to pass it. A text that is not understood is refused too, since it
 * could be a held-out function in other words. By the rule `understood` the text has to be one that the curriculum could have written, since its
 * judge has learned from such alone. A function named like one that solutions call could not call it.
 */
export function admitProblem({ name, parameters, text }: Problem, rule: TaskRule): Task | Refusal {
  const meaning = parseTaskText(text)
  if (!meaning) return 'not understood'
  if (parametersOf[meaning.kind].join() !== parameters.join()) return 'wrong parameters'
  if (isHeldOut(meaning)) return 'held out'
  if (isConstant(meaning)) return 'constant'
  if (rule === 'understood' && (knownFunctions.has(name) || !isOfCurriculum(text, meaning)))
    return 'not of the curriculum'
  return { name, parameters, text, level: levelOf(meaning), meaning }
}

/** Whether a problem may be trained on by the rule of an environment's specification. */
export function mayTrainOn(problem: Problem, rule: TaskRule): boolean {
  const admitted = admitProblem(problem, rule)
  return typeof admitted !== 'string' || (rule === 'wellFormed' && admitted === 'not understood')
}
