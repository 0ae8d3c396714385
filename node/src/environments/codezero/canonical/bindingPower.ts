import { constantOf } from '../python/constantOf.ts'
import type { PythonNode } from '../python/pythonNode.ts'

/** How tightly Python binds the operands of an expression, from the loosest to values that nothing can divide. */
const CONDITIONAL = 1
const NOT = 2
const COMPARISON = 3
const SUM = 4
const PRODUCT = 5
const SIGN = 6
const POWER = 7
/** A number: `2.real` is not Python. */
const NUMBER = 8
const VALUE = 9

const products: ReadonlySet<string> = new Set(['*', '%'])

/** The binding power of an expression of known forms (`hasKnownForms`); a constant is read as the number that it is. */
export function bindingPower(node: PythonNode): number {
  const constant = constantOf(node)
  if (constant !== null) return constant < 0 ? SIGN : NUMBER
  const [first, second] = node.children
  if (node.type === 'ConditionalExpression') return CONDITIONAL
  if (node.type === 'UnaryExpression') return first?.type === 'not' ? NOT : SIGN
  if (node.type !== 'BinaryExpression' || !second) return VALUE
  if (second.type === 'CompareOp') return COMPARISON
  if (second.text === '**') return POWER
  return products.has(second.text) ? PRODUCT : SUM
}

/** The least binding power that a child of an expression has without brackets. */
export function powerNeeded(parent: PythonNode, at: number): number {
  const { type, children } = parent
  if (type === 'UnaryExpression') return bindingPower(parent)
  if (type === 'BinaryExpression') return operandPower(bindingPower(parent), at === 0)
  if (type === 'MemberExpression' || type === 'CallExpression') return at === 0 ? VALUE : 0
  // `a if b else c`: only the last part may be a conditional expression itself.
  if (type === 'ConditionalExpression') return at === 4 ? CONDITIONAL : NOT
  // A comprehension's list and conditions.
  return ['in', 'if'].includes(children[at - 1]?.type ?? '') && children.some(child => child.type === 'for') ? NOT : 0
}

function operandPower(power: number, isLeft: boolean): number {
  if (power === COMPARISON) return SUM
  if (power === POWER) return isLeft ? NUMBER : SIGN
  return isLeft ? power : power + 1
}
