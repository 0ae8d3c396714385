import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import type { Problem } from '../curriculum/task.ts'
import { boundNames, hasName, readNames } from '../python/boundNames.ts'
import { constantOf } from '../python/constantOf.ts'
import { functionHeader } from '../python/functionHeader.ts'
import { hasIdleTerms } from '../python/idleTerms.ts'
import { isIdleStatement } from '../python/isIdle.ts'
import { parsePython } from '../python/parsePython.ts'
import type { PythonNode } from '../python/pythonNode.ts'
import { hasKnownForms, knownFunctions, knownMethods } from './curriculumForms.ts'
import { printForms } from './printForms.ts'
import { readsInOrder } from './readsInOrder.ts'

/** Names given to the code's own identifiers, in order of first appearance; none is a parameter of the curriculum. */
const canonicalLetters = [...'pqruvwyzcdeghijklmot']

/**
 * Code as the starter's judge reads it: the function is `f`, the code's own names are `p`, `q`, `r` and so on, parameters and built-ins
 * keep their names. Spaces and line breaks are those of the curriculum's solutions.
 *
 * Text for human readers is removed, since the judge estimates how likely the problem's text is: comments, docstrings, strings longer than a
 * character, type hints of the header. Constant arithmetic is folded: the judge understands `0`, but takes `4 - 4` for something about 4.
 *
 * @returns null if the code is not valid Python, not a function by itself (`loneFunction`), calculates with terms that it does not need
 *   (`hasIdleTerms`), has a hint that is not plain or another form than the curriculum's solutions (`hasKnownForms`), or reads a name before it
 *   has a value.
 */
export async function canonicalCode(
  code: string,
  problem: Pick<Problem, 'name' | 'parameters'>,
): Promise<string | null> {
  const tree = await parsePython(code)
  const lone = tree && loneFunction(tree, problem)
  if (!lone || hasIdleTerms(lone)) return null
  const hints = headerHints(lone)
  if (!hints.every(isPlainHint)) return null
  await yieldToEventLoop()
  const unread = new Set([...hints, ...docstrings(lone)])
  if (!hasKnownForms(lone, unread) || !readsInOrder(lone)) return null
  await yieldToEventLoop()
  const rename = renamer(problem, lone)
  const isLeaf = (node: PythonNode) => node.children.length === 0 || node.type === 'String' || isComputed(node)
  const printed = printForms(lone, node => (isLeaf(node) ? rename(node) : null), unread)
  return (await holdsAsPrinted(printed)) ? printed : null
}

/** Whether the text that the judge reads passes the checks itself: brackets that are left out may have hidden a term or a list from them. */
async function holdsAsPrinted(printed: string): Promise<boolean> {
  const [found] = (await parsePython(printed))?.children ?? []
  return found !== undefined && !hasIdleTerms(found) && hasKnownForms(found, new Set())
}

const computations: ReadonlySet<string> = new Set(['BinaryExpression', 'UnaryExpression'])

/** Numbers that are computed from numbers alone. Brackets around them stay: without them `(1 - 3) ** 2` would be another number. */
const isComputed = (node: PythonNode) => computations.has(node.type) && constantOf(node) !== null

/** Type hints of the parameters and of the result, which Python does not evaluate. */
function headerHints({ children }: PythonNode): PythonNode[] {
  const list = children.find(({ type }) => type === 'ParamList')?.children ?? []
  return [...children, ...list].filter(({ type }) => type === 'TypeDef')
}

/** Strings as statements before any other statement of the function. */
function docstrings({ children }: PythonNode): PythonNode[] {
  const [, ...statements] = children.find(({ type }) => type === 'Body')?.children ?? []
  // `'', xs.pop()` begins with a string, too.
  const end = statements.findIndex(({ children }) => children.map(({ type }) => type).join() !== 'String')
  return statements.slice(0, Math.max(0, end))
}

/** Names, their attributes and subscripts, and unions of these: anything else may be refused when Python compiles it. */
const hintParts: ReadonlySet<string> = new Set(
  'TypeDef VariableName PropertyName MemberExpression BinaryExpression BitOp None : -> . [ ] ,'.split(' '),
)

const isPlainHint = ({ type, children }: PythonNode): boolean => hintParts.has(type) && children.every(isPlainHint)

/** Names of leaves. A parameter or variable may have the function's own name, which it hides inside. */
function renamer(problem: Pick<Problem, 'name' | 'parameters'>, lone: PythonNode) {
  const header = lone.children.find(({ type }) => type === 'VariableName')
  const bound = boundNames(lone)
  const isHidden = lone.children.some(child => child !== header && boundNames(child).has(problem.name))
  const names = new Map<string, string>(problem.parameters.map(p => [p, p] as const))
  if (!isHidden) names.set(problem.name, 'f')
  const taken = new Set(problem.parameters)
  let used = 0
  const fresh = (): string => {
    for (;;) {
      const name = canonicalLetters[used] ?? `v${used - canonicalLetters.length + 1}`
      used++
      if (!taken.has(name)) return name
    }
  }
  const own = (name: string): string => {
    const known = names.get(name) ?? fresh()
    names.set(name, known)
    return known
  }
  return (leaf: PythonNode): string => {
    if (leaf === header) return 'f'
    if (leaf.type === 'String')
      return /^(?:'[^'\\]?'|"[^"\\]?")$/.test(leaf.text) ? leaf.text.replaceAll('"', "'") : "'?'"
    if (isComputed(leaf)) return `${constantOf(leaf)}`
    if (leaf.type === 'PropertyName') return knownMethods.has(leaf.text) ? leaf.text : own(leaf.text)
    if (leaf.type !== 'VariableName') return leaf.text
    return knownFunctions.has(leaf.text) && !bound.has(leaf.text) ? leaf.text : own(leaf.text)
  }
}

/**
 * The function that a problem asks for, if it is self-contained, so that a model that knows only single functions can read it.
 *
 * Null if anything stands next to it but docstrings and `pass`: Python runs that first, and it may fail. Null if it takes more parameters than the
 * problem has, or one with a default, which Python evaluates before any call. Null also if it computes nothing, never reads a parameter, or holds
 * unreachable code: then the model would guess the likeliest text, or read code that never runs.
 */
function loneFunction(script: PythonNode, { name, parameters }: Omit<Problem, 'text'>): PythonNode | null {
  const found = script.children.find(statement => functionHeader(statement)?.name === name)
  if (found?.type !== 'FunctionDefinition' || !script.children.every(other => other === found || standsIdly(other)))
    return null
  if (functionHeader(found)?.positional.length !== parameters.length || hasDefault(found)) return null
  const body = found.children.find(({ type }) => type === 'Body')
  if (!body || !computes(body) || hidesCode(body)) return null
  const read = readNames(body)
  return parameters.every(parameter => read.has(parameter)) ? found : null
}

const hasDefault = ({ children }: PythonNode) =>
  children.some(({ type, children: list }) => type === 'ParamList' && list.some(part => part.type === 'AssignOp'))

const standsIdly = (statement: PythonNode) =>
  statement.type === 'PassStatement' || (isIdleStatement(statement) && !hasName(statement))

const plain = ['ParenthesizedExpression', 'TupleExpression', 'ArrayExpression', 'SetExpression', 'DictionaryExpression']

/** Whether the code does anything with values beyond naming and listing them. */
function computes(node: PythonNode): boolean {
  if (node.type === 'UpdateStatement' || (node.type.endsWith('Expression') && !plain.includes(node.type))) return true
  return node.children.some(computes)
}

const leaving = ['ReturnStatement', 'RaiseStatement', 'BreakStatement', 'ContinueStatement']

/** Whether there is code that may never run: after a leaving statement, under a constant condition, right of one (`0 and x`), or in an inner function. */
function hidesCode({ type, children }: PythonNode): boolean {
  const statements = children.filter(child => child.type.endsWith('Statement') || child.type.endsWith('Definition'))
  if (type === 'Body' && statements.slice(0, -1).some(statement => leaving.includes(statement.type))) return true
  if (type === 'FunctionDefinition' || type === 'ClassDefinition' || type === 'LambdaExpression') return true
  const conditions = children.filter((_, at) => decides(children[at - 1]?.type, children[at + 1]?.type))
  return conditions.some(condition => !hasName(condition)) || children.some(hidesCode)
}

/** Whether a value between two signs decides what runs. */
const decides = (before = '', after = '') => ['if', 'elif', 'while'].includes(before) || ['and', 'or'].includes(after)
