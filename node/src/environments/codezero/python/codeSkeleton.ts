import type { Problem } from '../curriculum/task.ts'
import { boundNames } from './boundNames.ts'
import { deadAssignments, without } from './deadAssignments.ts'
import { functionHeader, functionOf } from './functionHeader.ts'
import { isIdleStatement } from './isIdle.ts'
import { parsePython } from './parsePython.ts'
import type { PythonNode } from './pythonNode.ts'
import { withoutBrackets } from './withoutBrackets.ts'

/**
 * The requested function reduced to what Python runs, as one line: without white space, comments, type hints, `pass`, an `else`
 * or `finally` of it alone, statements that only calculate a value, dead assignments and imports (`deadAssignments`), and brackets and commas that
 * change nothing, with numbers by their values, and with its own names numbered by first appearance (`$0`, which Python does not allow as a name).
 * Equal skeletons are one function in two spellings.
 *
 * Other dead code makes another function: an update or a call whose result is not used, an element that is read for nothing, a branch that is
 * never taken. So do operands in another order and brackets within conditions (`(a and b) or c`). F-strings are compared as they are written.
 *
 * @returns null if the code is not valid Python, or has no function of the name.
 */
export async function codeSkeleton(
  code: string,
  { name, parameters }: Pick<Problem, 'name' | 'parameters'>,
): Promise<string | null> {
  const tree = await parsePython(code)
  const statement = tree?.children.find(child => functionHeader(child)?.name === name)
  const definition = statement && functionOf(statement)
  return definition ? skeletonOf(definition, { name, parameters }) : null
}

/** Skeleton of any statement, with its decorators. */
export function skeletonOf(statement: PythonNode, { name, parameters }: Pick<Problem, 'name' | 'parameters'>): string {
  const kept = new Set([name, ...parameters])
  const needed = without(statement, deadAssignments(statement))
  const places = new Map([...boundNames(needed)].filter(own => !kept.has(own)).map((own, at) => [own, `$${at}`]))
  return piecesOf(needed, places).join(' ')
}

type Places = ReadonlyMap<string, string>

const strings: ReadonlySet<string> = new Set(['String', 'FormatString', 'ContinuedString'])
const unread: ReadonlySet<string> = new Set(['TypeDef', 'PassStatement', ';'])
/** Expressions without brackets of their own. */
const open: ReadonlySet<string> = new Set(
  (
    'BinaryExpression UnaryExpression ConditionalExpression LambdaExpression AwaitExpression NamedExpression ' +
    'YieldExpression'
  ).split(' '),
)

const isUnread = (node: PythonNode) => unread.has(node.type) || isIdleStatement(node)

function piecesOf(node: PythonNode, places: Places): string[] {
  if (isUnread(node)) return []
  if (node.type === 'VariableName') return [places.get(node.text) ?? node.text]
  if (strings.has(node.type)) return [node.text.replace(/^(['"])([^'"\\]*)\1$/, "'$2'")]
  if (node.type === 'Number') return [literalValue(node.text)]
  if (node.children.length === 0) return [node.text]
  const pieces = partsOf(node).flatMap(part => piecesOf(part, places))
  // Marks the end of a block, so that later statements are assigned correctly.
  if (node.type === 'Body') return [...pieces, 'end']
  // No valid source contains the marks. They are the same whether or not the code has brackets there.
  return open.has(node.type) ? ['«', ...pieces, '»'] : pieces
}

/** `0xA` and `1_0` are 10; `1.0` is another value than 1. */
function literalValue(number: string): string {
  const digits = number.replaceAll('_', '').toLowerCase()
  if (/^(\d+|0x[\da-f]+|0o[0-7]+|0b[01]+)$/.test(digits)) return `${BigInt(digits)}`
  return digits.endsWith('j') ? digits : `float ${Number(digits)}`
}

/** The children of a node, without brackets, commas and branches that change nothing. */
function partsOf(whole: PythonNode): PythonNode[] {
  const node = withoutSpareParts(whole)
  return node.children.flatMap((child, at) => {
    const bare = withoutBrackets(child)
    if (bare !== child && needsBrackets(bare, node)) return [child]
    return bare.type === 'TupleExpression' && isWholeSide(node, at) ? inBrackets(withoutSpareParts(bare)) : [bare]
  })
}

const withoutSpareParts = (node: PythonNode): PythonNode => ({
  ...node,
  children: node.children.filter((_, at) => !isSpareComma(node, at) && !isIdleBranch(node, at)),
})

/** `else: pass` and `finally: pass`. */
function isIdleBranch({ children }: PythonNode, at: number): boolean {
  const [keyword, body] = children.slice(children[at]?.type === 'Body' ? at - 1 : at)
  const isBranch = keyword?.type === 'else' || keyword?.type === 'finally'
  return isBranch && body?.type === 'Body' && body.children.slice(1).every(doesNothing)
}

/** Whether a statement, or several in a line, do nothing. */
const doesNothing = (node: PythonNode): boolean =>
  isUnread(node) || (node.type === 'StatementGroup' && node.children.every(doesNothing))

/** Signs before which the last comma of a list stands. The tree has no node for the `/` of a header, which changes no call by position. */
const following: ReadonlySet<string> = new Set([')', ']', '}', ','])
/** Anything else with a single comma is a tuple of one. */
const lists: ReadonlySet<string> = new Set(
  'ParamList ArgList ArrayExpression SetExpression DictionaryExpression'.split(' '),
)

function isSpareComma({ type, children }: PythonNode, at: number): boolean {
  const next = children[at + 1]?.type
  const isLast = next === undefined ? sides.has(type) : following.has(next)
  if (children[at]?.type !== ',' || !isLast) return false
  const side = children.slice(children.findLastIndex(child => child.type === 'AssignOp') + 1)
  return lists.has(type) || side.filter(child => child.type === ',').length > 1
}

const inBrackets = ({ children }: PythonNode) => (children.length > 2 ? children.slice(1, -1) : [...children])

const hasOne = ({ children }: PythonNode, operators: readonly string[]) =>
  children.some(child => operators.includes(child.type))

const compares = (node: PythonNode) => node.type === 'BinaryExpression' && hasOne(node, ['CompareOp', 'in', 'is'])

const combines = (node: PythonNode) =>
  (node.type === 'BinaryExpression' && hasOne(node, ['and', 'or'])) ||
  (node.type === 'UnaryExpression' && hasOne(node, ['not']))

/**
 * Whether the tree would be the same for other code without the brackets. `(a < b) < c` is not a chain of comparisons, and the parser does not
 * know that `not` and `await` bind more tightly than what follows.
 */
const needsBrackets = (inner: PythonNode, outer: PythonNode) =>
  (compares(inner) && compares(outer)) || (combines(inner) && combines(outer)) || outer.type === 'AwaitExpression'

const sides: ReadonlySet<string> = new Set(['ReturnStatement', 'AssignStatement', 'UpdateStatement', 'ForStatement'])

/** Whether a tuple needs no brackets where it is: `return (a, b)`, `d[(a, b)]`. */
function isWholeSide({ type, children }: PythonNode, at: number): boolean {
  const [before, after] = [children[at - 1]?.type, children[at + 1]?.type]
  if (type === 'MemberExpression') return before === '[' && after === ']'
  return sides.has(type) && ![before, after].some(next => next === ',' || next === '*')
}
