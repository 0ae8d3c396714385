import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import type { Problem } from '../curriculum/task.ts'
import { boundNames } from './boundNames.ts'
import { constantOf } from './constantOf.ts'
import { functionHeader, functionOf } from './functionHeader.ts'
import type { PythonNode } from './parsePython.ts'

type Arity = readonly [least: number, most: number]

/** Positional arguments of functions. */
const functionArity: Readonly<Record<string, Arity>> = {
  ...{ len: [1, 1], abs: [1, 1], sorted: [1, 1], reversed: [1, 1], any: [1, 1], all: [1, 1], ord: [1, 1], chr: [1, 1] },
  ...{ list: [0, 1], set: [0, 1], tuple: [0, 1], bool: [0, 1], float: [0, 1], int: [0, 2], str: [0, 3] },
  ...{ range: [1, 3], sum: [1, 2], round: [1, 2], pow: [2, 3], divmod: [2, 2], enumerate: [1, 2], filter: [2, 2] },
}

/** Positional arguments of methods, over all built-in types that have one of that name. */
const methodArity: Readonly<Record<string, Arity>> = {
  ...{ append: [1, 1], extend: [1, 1], insert: [2, 2], remove: [1, 1], add: [1, 1], sort: [0, 0], reverse: [0, 0] },
  ...{ clear: [0, 0], copy: [0, 0], keys: [0, 0], values: [0, 0], items: [0, 0], get: [1, 2], pop: [0, 2] },
  ...{
    count: [1, 3],
    index: [1, 3],
    find: [1, 3],
    startswith: [1, 3],
    endswith: [1, 3],
    replace: [2, 3],
    join: [1, 1],
  },
  ...{ upper: [0, 0], lower: [0, 0], title: [0, 0], capitalize: [0, 0], swapcase: [0, 0], isdigit: [0, 0] },
  ...{ isalpha: [0, 0], split: [0, 2], strip: [0, 1], lstrip: [0, 1], rstrip: [0, 1] },
}

/** With them names and methods may be anything. */
const unforeseen: ReadonlySet<string> = new Set([
  'ClassDefinition',
  'TryStatement',
  'WithStatement',
  'MatchStatement',
  'ScopeStatement',
])

/**
 * Whether the text of code proves that it fails: it calls a built-in function or method with a number of arguments that it never accepts, reads or
 * updates a name without a value, puts a list into itself, or divides by zero. Small judges accept `found.append(found, x)` and `x % 0`, and policies
 * exploit that.
 *
 * @param script - the whole code.
 * @returns false if this cannot be decided.
 */
export async function mustFail(script: PythonNode): Promise<boolean> {
  if (mentions(script, unforeseen) || /\bimport\s*\*/.test(script.text)) return false
  await yieldToEventLoop()
  const bound = boundNames(script)
  const known = (name: string) => bound.has(name) || builtIns.has(name)
  const assigned = boundNames(withoutUpdates(script))
  return (
    usedNames(script).some(name => !known(name)) ||
    updatedNames(script).some(name => !assigned.has(name)) ||
    hasWrongCall(script, bound) ||
    dividesByZero(script)
  )
}

const mentions = (node: PythonNode, types: ReadonlySet<string>): boolean =>
  types.has(node.type) || node.children.some(child => mentions(child, types))

/** Names other than those of keyword arguments. */
function usedNames({ type, text, children }: PythonNode): string[] {
  if (type === 'VariableName') return [text]
  const isKeyword = (at: number) => type === 'ArgList' && children[at + 1]?.type === 'AssignOp'
  return children.flatMap((child, at) => (isKeyword(at) ? [] : usedNames(child)))
}

const isUpdate = ({ type }: PythonNode) => type === 'UpdateStatement'

/** Names left of `+=` and similar operators, which must have a value. */
function updatedNames(node: PythonNode): string[] {
  const [target] = isUpdate(node) ? node.children : []
  const own = target?.type === 'VariableName' ? [target.text] : []
  return [...own, ...node.children.flatMap(updatedNames)]
}

const withoutUpdates = (node: PythonNode): PythonNode => ({
  ...node,
  children: node.children.filter(child => !isUpdate(child)).map(withoutUpdates),
})

function hasWrongCall(node: PythonNode, bound: ReadonlySet<string>): boolean {
  return (
    (node.type === 'CallExpression' && isWrong(node, bound)) || node.children.some(child => hasWrongCall(child, bound))
  )
}

const divisions: ReadonlySet<string> = new Set(['/', '//', '%', '/=', '//=', '%='])

/** Whether code divides by a literal zero. A string on the left is formatted by `%`. */
function dividesByZero({ children }: PythonNode): boolean {
  const [left, operator, right] = children
  const isDivision = operator !== undefined && divisions.has(operator.text) && !left?.type.endsWith('String')
  return (isDivision && right !== undefined && constantOf(right) === 0) || children.some(dividesByZero)
}

function isWrong({ children: [called, list] }: PythonNode, bound: ReadonlySet<string>): boolean {
  const given = list?.type === 'ArgList' ? positional(list) : null
  if (called === undefined || given === null) return false
  const own = (name: string) => (bound.has(name) ? undefined : functionArity[name])
  if (called.type === 'VariableName') return outside(own(called.text), given.length)
  const [receiver, , method] = called.type === 'MemberExpression' ? called.children : []
  // `list.append(found, x)` is a function of the type.
  if (receiver === undefined || method === undefined || (builtIns.has(receiver.text) && !bound.has(receiver.text)))
    return false
  if (outside(methodArity[method.text], given.length)) return true
  return (
    method.text === 'append' && receiver.type === 'VariableName' && given.some(value => holds(value, receiver.text))
  )
}

const outside = (arity: Arity | undefined, count: number) =>
  arity !== undefined && (count < arity[0] || count > arity[1])

/** Values of a call without those of keywords; null if a star gives any number of them. */
function positional({ children }: PythonNode): PythonNode[] | null {
  const values: PythonNode[][] = [[]]
  for (const child of children.slice(1, -1)) {
    if (child.type === '*' || child.type === '**') return null
    if (child.type === ',') values.push([])
    else if (child.type !== 'Comment') values.at(-1)?.push(child)
  }
  const given = values.filter(value => value.length > 0 && value[1]?.type !== 'AssignOp')
  return given.map(value => value[0] as PythonNode)
}

const whole: ReadonlySet<string> = new Set(['BinaryExpression', 'UnaryExpression', 'ParenthesizedExpression'])

/** Whether an expression contains a list as a whole, and not only its elements. */
function holds(node: PythonNode, name: string): boolean {
  if (node.type === 'VariableName') return node.text === name
  return whole.has(node.type) && node.children.some(child => holds(child, name))
}

/** Names that Python gives a value. */
const builtIns: ReadonlySet<string> = new Set(
  (
    'ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError ' +
    'BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ' +
    'ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning ' +
    'EnvironmentError Exception ExceptionGroup False FileExistsError FileNotFoundError FloatingPointError ' +
    'FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError IndexError InterruptedError ' +
    'IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError None ' +
    'NotADirectoryError NotImplemented NotImplementedError OSError OverflowError PendingDeprecationWarning ' +
    'PermissionError ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning ' +
    'StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError True ' +
    'TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError ' +
    'UnicodeWarning UserWarning ValueError Warning ZeroDivisionError abs aiter all anext any ascii bin bool ' +
    'breakpoint bytearray bytes callable chr classmethod compile complex delattr dict dir divmod enumerate eval ' +
    'exec filter float format frozenset getattr globals hasattr hash hex id input int isinstance issubclass iter ' +
    'len list locals map max memoryview min next object oct open ord pow print property range repr reversed round ' +
    'set setattr slice sorted staticmethod str sum super tuple type vars zip __name__'
  ).split(' '),
)

/** Inner functions, whose returns are not those of the function around them. */
const otherFunctions: ReadonlySet<string> = new Set(['FunctionDefinition', 'LambdaExpression', 'ClassDefinition'])

/**
 * Whether the function that a problem asks for returns None for every input: none of its `return` statements has a value. The starter's judge
 * reads the loop and takes a bare `return` after it for right.
 */
export function givesNothing(script: PythonNode, { name }: Pick<Problem, 'name'>): boolean {
  const statement = script.children.find(child => functionHeader(child)?.name === name)
  const body = statement && functionOf(statement)?.children.find(({ type }) => type === 'Body')
  return body !== undefined && !givesValue(body)
}

function givesValue({ type, children }: PythonNode): boolean {
  if (otherFunctions.has(type)) return false
  if (type.startsWith('Yield')) return true
  if (type === 'ReturnStatement') return children.slice(1).some(child => !isNone(child))
  return children.some(givesValue)
}

/** Just `None`, in any number of brackets. */
function isNone({ type, children }: PythonNode): boolean {
  return type === 'None' || (type === 'ParenthesizedExpression' && children.slice(1, -1).every(isNone))
}
