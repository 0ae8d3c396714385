import type { PythonNode } from './pythonNode.ts'

const values: ReadonlySet<string> = new Set('String Boolean Number None Ellipsis VariableName'.split(' '))
/** A `FormatReplacement` is none of these: it calls `format`. Neither are sets and dictionaries: they fail with a list as a key. */
const collections: ReadonlySet<string> = new Set(
  'ParenthesizedExpression TupleExpression ArrayExpression FormatString ContinuedString'.split(' '),
)
/** Without `*`, which runs an iterator. */
const signs: ReadonlySet<string> = new Set(['(', ')', '[', ']', ','])

/** Whether a statement only names values, and so does nothing. */
export const isIdleStatement = ({ type, children }: PythonNode) =>
  type === 'ExpressionStatement' && children.every(isIdle)

/** Whether an expression only names values. */
export function isIdle({ type, children }: PythonNode): boolean {
  return values.has(type) || signs.has(type) || (collections.has(type) && children.every(isIdle))
}
