import { constantOf } from './constantOf.ts'
import type { PythonNode } from './parsePython.ts'

/** A part of a sum: a number times what its key names, or a number alone where the key is empty. */
type Term = { key: string; factor: number }

/**
 * Whether code calculates with more terms than it needs: what it adds it takes away again, a term comes twice, or numbers are added to or
 * multiplied with numbers. `2 - x - 2`, `x * 2 + x`, `s * 4 * 4`: policies write such, and a judge of little experience goes by what they are made of.
 * Two equal terms that are added are a way to write a double.
 */
export function hasIdleTerms(node: PythonNode): boolean {
  return isIdle(node) || node.children.some(hasIdleTerms)
}

function isIdle(node: PythonNode): boolean {
  if (node.type !== 'BinaryExpression' || constantOf(node) !== null) return false
  const operator = node.children[1]?.text
  if (operator === '*') return factorsOf(node).filter(factor => constantOf(factor) !== null).length > 1
  if (operator !== '+' && operator !== '-') return false
  const terms = termsOf(node, 1)
  const known = new Map<string, number[]>()
  for (const { key, factor } of terms) known.set(key, [...(known.get(key) ?? []), factor])
  const isDouble = (factors: number[]) => factors.length === 2 && factors.every(factor => factor === 1)
  const comesAgain = [...known].some(([key, factors]) => factors.length > 1 && (key === '' || !isDouble(factors)))
  // `0 - x` is a way to write that x is negated.
  return comesAgain || terms.slice(1).some(({ key, factor }) => key === '' && factor === 0)
}

function termsOf(node: PythonNode, sign: number): Term[] {
  const value = constantOf(node)
  if (value !== null) return [{ key: '', factor: sign * value }]
  const [first, second, third] = node.children
  if (node.type === 'ParenthesizedExpression' && second) return termsOf(second, sign)
  if (node.type === 'UnaryExpression' && second && (first?.text === '-' || first?.text === '+'))
    return termsOf(second, first.text === '-' ? -sign : sign)
  if (node.type === 'BinaryExpression' && first && third && (second?.text === '+' || second?.text === '-'))
    return [...termsOf(first, sign), ...termsOf(third, second.text === '-' ? -sign : sign)]
  const factors = factorsOf(node)
  const numbers = factors.map(constantOf).filter(number => number !== null)
  const others = factors.filter(factor => constantOf(factor) === null).map(({ text }) => text.replaceAll(/\s/g, ''))
  return [{ key: others.sort().join('*'), factor: numbers.reduce((product, number) => product * number, sign) }]
}

/** Of a product; of anything else itself. */
function factorsOf(node: PythonNode): PythonNode[] {
  const [first, second, third] = node.children
  if (node.type === 'ParenthesizedExpression' && second && isProduct(second)) return factorsOf(second)
  if (!isProduct(node) || !first || !third) return [node]
  return [...factorsOf(first), ...factorsOf(third)]
}

const isProduct = ({ type, children }: PythonNode) => type === 'BinaryExpression' && children[1]?.text === '*'
