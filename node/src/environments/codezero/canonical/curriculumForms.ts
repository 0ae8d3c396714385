import { constantOf } from '../python/constantOf.ts'
import type { PythonNode } from '../python/pythonNode.ts'

/** Node types of the curriculum's solutions (`renderSolution`). */
const types: ReadonlySet<string> = new Set(
  (
    'FunctionDefinition def ParamList Body ReturnStatement return IfStatement if else ForStatement for in ' +
    'ContinueStatement continue AssignStatement AssignOp UpdateStatement UpdateOp ExpressionStatement ' +
    'BinaryExpression ArithOp * ** CompareOp UnaryExpression not ParenthesizedExpression ConditionalExpression ' +
    'ArrayExpression ArrayComprehensionExpression MemberExpression CallExpression ArgList VariableName PropertyName ' +
    'Number String ( ) [ ] : , .'
  ).split(' '),
)

const operators: Readonly<Record<string, readonly string[]>> = {
  AssignOp: ['='],
  ArithOp: ['+', '-', '*', '**', '%'],
  UpdateOp: ['+=', '*='],
  CompareOp: ['==', '!=', '<', '<=', '>', '>='],
}

/** Where signs stand: not in tuples, lists of several values, keyword arguments or unpacking. */
const places: Readonly<Record<string, readonly string[]>> = {
  ',': ['ArgList', 'ParamList'],
  AssignOp: ['AssignStatement'],
  '*': ['ArithOp'],
  '**': ['ArithOp'],
}

/** Further conditions on a node's children. */
const shapes: Readonly<Record<string, (children: readonly PythonNode[]) => boolean>> = {
  ParamList: children => PARAMETERS.test(children.map(({ type }) => type).join(' ')),
  ArgList: children => !children.some(({ type }) => type === 'for') || !children.some(({ type }) => type === ','),
  ArrayExpression: ([, value]) => !value?.type.startsWith('Array'),
  ReturnStatement: ({ length }) => length === 2,
  AssignStatement: children => children.length === 3 && isName(children[0]),
  UpdateStatement: ([target]) => isName(target),
  ForStatement: ([, target, sign]) => isName(target) && sign?.type === 'in',
  ExpressionStatement: ([value]) => value?.type === 'CallExpression',
  // A method or a slice: an index fails where a list is too short.
  MemberExpression: children => children.some(({ type }) => type === '.' || type === ':'),
  // Of a generator only the sum is taken: it has no length.
  CallExpression: ([called, list]) =>
    (called?.type === 'MemberExpression' && called.children[1]?.type === '.') ||
    (called !== undefined &&
      knownFunctions.has(called.text) &&
      (called.text === 'sum' || !list?.children.some(({ type }) => type === 'for'))),
  // `0 == not x` is a mistake, `a < b < c` means more than it seems to, and `in` belongs to loops.
  BinaryExpression: ([left, sign, right]) =>
    sign?.type === 'ArithOp' || (sign?.type === 'CompareOp' && ![left, right].some(isTruth)),
}

const PARAMETERS = /^\((?: VariableName(?: TypeDef)?(?: , VariableName(?: TypeDef)?)*)? \)$/
const isName = (node: PythonNode | undefined) => node?.type === 'VariableName'
const isTruth = (node: PythonNode | undefined) =>
  node?.children[0]?.type === 'not' || node?.children[1]?.type === 'CompareOp'

/** Built-in functions and methods that solutions call. They keep their names where the code does not bind them. */
export const knownFunctions: ReadonlySet<string> = new Set('len list max reversed sorted sum'.split(' '))
export const knownMethods: ReadonlySet<string> = new Set('append count lower upper'.split(' '))

/**
 * Whether a function has only the forms of the curriculum's solutions. Of others the starter's judge knows nothing: it gave 0.9 and more to tuples
 * of the right terms, and a policy learned to answer so.
 *
 * @param unread - nodes that the judge does not read: hints and docstrings.
 */
export function hasKnownForms(lone: PythonNode, unread: ReadonlySet<PythonNode>): boolean {
  const isKnown = (node: PythonNode, parent: PythonNode | null): boolean => {
    if (unread.has(node)) return true
    const { type, text, children } = node
    if (!types.has(type) || operators[type]?.includes(text) === false) return false
    if (places[type]?.includes(parent?.type ?? '') === false || shapes[type]?.(children) === false) return false
    if (type === 'Number') return /^\d$/.test(text)
    const computed = constantOf(node)
    if (computed !== null) return Math.abs(computed) < 10
    if (type === 'PropertyName' && !knownMethods.has(text)) return false
    return children.every(child => isKnown(child, node))
  }
  return isKnown(lone, null) && hasAllTokens(lone, unread)
}

/** Whether the tree has a leaf for each token that is read: the parser gives some signs no node, such as the `/` of parameters. */
function hasAllTokens(lone: PythonNode, unread: ReadonlySet<PythonNode>): boolean {
  const seen = new Uint8Array(lone.text.length)
  const mark = ({ from, to }: PythonNode) => seen.fill(1, from - lone.from, to - lone.from)
  const visit = (node: PythonNode): void => {
    node.comments.forEach(mark)
    if (node.children.length === 0 || node.type === 'String' || unread.has(node)) mark(node)
    else node.children.forEach(visit)
  }
  visit(lone)
  return /^(?:\s|\\\n)*$/.test(
    lone.text
      .split('')
      .filter((_, at) => seen[at] === 0)
      .join(''),
  )
}
