import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import type { Problem } from '../curriculum/task.ts'
import { boundNames } from './boundNames.ts'
import { callArguments } from './callArguments.ts'
import { constantOf } from './constantOf.ts'
import { functionHeader, functionOf } from './functionHeader.ts'
import { ANY_NAME, moduleNames } from './moduleNames.ts'
import type { PythonNode } from './pythonNode.ts'
import { readsUnset } from './unsetNames.ts'
import { valueKinds } from './valueKinds.ts'

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

/** Methods of `methodArity` that other libraries' types either do not have or call with as many arguments. */
const sureMethods: ReadonlySet<string> = new Set(
  'append extend upper lower capitalize swapcase isdigit isalpha startswith endswith strip lstrip rstrip'.split(' '),
)

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
  if (mentions(script, unforeseen) || moduleNames(script).has(ANY_NAME)) return false
  await yieldToEventLoop()
  const bound = boundNames(script)
  const known = (name: string) => bound.has(name) || builtIns.has(name)
  const assigned = boundNames(withoutUpdates(script))
  const kindOf = await valueKinds(script)
  return (
    usedNames(script).some(name => !known(name)) ||
    updatedNames(script).some(name => !assigned.has(name)) ||
    hasWrongCall(script, { bound, kindOf }) ||
    dividesByZero(script, kindOf) ||
    readsUnset(script)
  )
}

const mentions = (node: PythonNode, types: ReadonlySet<string>): boolean =>
  types.has(node.type) || node.children.some(child => mentions(child, types))

type KindOf = Awaited<ReturnType<typeof valueKinds>>
type Names = { readonly bound: ReadonlySet<string>; readonly kindOf: KindOf }

/** Names other than those of keyword arguments, and of type hints, which Python need not evaluate. */
function usedNames({ type, text, children }: PythonNode): string[] {
  if (type === 'TypeDef') return []
  if (type === 'VariableName') return [text]
  const isKeyword = (at: number) => type === 'ArgList' && children[at + 1]?.text === '='
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

function hasWrongCall(node: PythonNode, names: Names): boolean {
  return (
    (node.type === 'CallExpression' && isWrong(node, names)) || node.children.some(child => hasWrongCall(child, names))
  )
}

const divisions: ReadonlySet<string> = new Set(['/', '//', '%', '/=', '//=', '%='])

/** Whether code divides by a literal zero. */
function dividesByZero({ children }: PythonNode, kindOf: KindOf): boolean {
  const [left, operator, right] = children
  const isDivision = left !== undefined && operator !== undefined && divisions.has(operator.text)
  if (isDivision && right !== undefined && constantOf(right) === 0 && !mayBeFormat(left, operator, kindOf)) return true
  return children.some(child => dividesByZero(child, kindOf))
}

/** Whether `%` may format a string: any value but a number, a collection or an input. */
const mayBeFormat = (left: PythonNode, operator: PythonNode, kindOf: KindOf) =>
  operator.text.startsWith('%') && ['builtIn', 'foreign'].includes(kindOf(left))

function isWrong({ children: [called, list] }: PythonNode, { bound, kindOf }: Names): boolean {
  const given = list?.type === 'ArgList' ? argumentsOf(list) : null
  if (called === undefined || given === null) return false
  if (called.type === 'VariableName') return !bound.has(called.text) && outside(functionArity[called.text], given)
  const [receiver, , method] = called.type === 'MemberExpression' ? called.children : []
  if (receiver === undefined || method === undefined) return false
  const kind = kindOf(receiver)
  // Also `list.append(found, x)`, a function of the type.
  if (kind === 'foreign') return false
  if (
    (kind === 'builtIn' || kind === 'collection' || sureMethods.has(method.text)) &&
    outside(methodArity[method.text], given)
  )
    return true
  return (
    method.text === 'append' &&
    receiver.type === 'VariableName' &&
    given.positional.some(value => isName(value, receiver.text))
  )
}

type Arguments = { readonly positional: readonly PythonNode[]; readonly keywords: number }

/** Keywords may stand for positions, and also be further arguments. */
const outside = (arity: Arity | undefined, { positional, keywords }: Arguments) =>
  arity !== undefined && (positional.length + keywords < arity[0] || positional.length > arity[1])

/** Arguments of a call; null if a star gives any number of them. */
function argumentsOf(list: PythonNode): Arguments | null {
  // A generator without brackets is the only argument; commas are those of its loops.
  if (list.children.some(({ type }) => type === 'for')) return { positional: list.children.slice(1, 2), keywords: 0 }
  const given = callArguments(list)
  if (given.some(([first]) => first?.type === '*' || first?.type === '**')) return null
  const positional = given.filter(value => value[1]?.text !== '=').map(value => value[0] as PythonNode)
  return { positional, keywords: given.length - positional.length }
}

/** Whether an expression is just a name, in any number of brackets. */
function isName({ type, text, children: [, inner] }: PythonNode, name: string): boolean {
  if (type === 'ParenthesizedExpression') return inner !== undefined && isName(inner, name)
  return type === 'VariableName' && text === name
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
    'set setattr slice sorted staticmethod str sum super tuple type vars zip __name__ __import__ __debug__ __doc__ __file__ __builtins__'
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
