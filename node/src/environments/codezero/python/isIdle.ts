import type { PythonNode } from './parsePython.ts'

const values: ReadonlySet<string> = new Set(
  'String FormatString ContinuedString Boolean Number None Ellipsis VariableName'.split(' '),
)
const collections: ReadonlySet<string> = new Set(
  'ParenthesizedExpression TupleExpression ArrayExpression SetExpression DictionaryExpression'.split(' '),
)

/** Whether a statement only names values, and so does nothing. */
export const isIdleStatement = ({ type, children }: PythonNode) =>
  type === 'ExpressionStatement' && children.every(isIdle)

/** Whether an expression only names values. */
export function isIdle({ type, children }: Pick<PythonNode, 'type' | 'children'>): boolean {
  return values.has(type) || (collections.has(type) && children.every(isIdle)) || /^[^\w]$/.test(type)
}
