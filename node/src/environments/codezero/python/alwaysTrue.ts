import { hasName } from './boundNames.ts'
import type { PythonNode } from './pythonNode.ts'

/** Values that are true whatever they contain. */
const kinds: Readonly<Record<string, string>> = {
  TupleExpression: 'a tuple',
  ArrayExpression: 'a list',
  SetExpression: 'a set',
  DictionaryExpression: 'a dictionary',
  LambdaExpression: 'a lambda',
  ComprehensionExpression: 'a generator',
}

/** The form of a condition that is true for any answer, such as `a tuple` or `an or with a constant`; null for conditions that can be false. */
export function alwaysTrue({ type, children }: PythonNode): string | null {
  const [first, second, third] = children
  if (type === 'ParenthesizedExpression') return second ? alwaysTrue(second) : null
  // Two parts are the brackets of an empty display, which is false.
  if (kinds[type] !== undefined) return children.length > 2 ? kinds[type] : null
  if (type !== 'BinaryExpression' || second?.type !== 'or') return null
  for (const operand of [first, third]) {
    const form = operand && alwaysTrue(operand)
    if (form) return form.startsWith('an or') ? form : `an or with ${form}`
    if (operand && isConstant(operand)) return 'an or with a constant'
  }
  return null
}

/** Whether an expression names nothing, and is not just a false value. */
const isConstant = (node: PythonNode): boolean => !hasName(node) && !isFalse(node)

const isFalse = ({ type, text, children }: PythonNode): boolean =>
  type === 'ParenthesizedExpression'
    ? children.some(isFalse)
    : /^(False|None|[0_.]+|\w?(''|"")|\[\]|\(\)|\{\})$/.test(text)
