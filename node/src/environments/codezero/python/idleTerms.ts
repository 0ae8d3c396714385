import { constantOf } from './constantOf.ts'
import type { PythonNode } from './pythonNode.ts'

/** A term of a sum: a number times the expression of its key, or a plain number if the key is empty. */
type Term = { key: string; factor: number }

/** Sums with more terms than this when multiplied out are not checked. */
const MAX_TERMS = 64

/**
 * Whether code calculates with more terms than it needs, once it is multiplied out: terms cancel, a term occurs twice, or numbers are added to or
 * multiplied with numbers. Policies write `2 - x - 2`, `x * 2 + x`, `t * (3 - i) + t` or `s * 4 * 4`, and their parts mislead a small judge. Two
 * equal adjacent terms are allowed as a way to write a double.
 */
export function hasIdleTerms(node: PythonNode): boolean {
  return isIdle(node) || node.children.some(hasIdleTerms)
}

function isIdle(node: PythonNode): boolean {
  if (node.type !== 'BinaryExpression' || constantOf(node) !== null) return false
  const operator = node.children[1]?.text
  if (operator === '*') return factorsOf(node).filter(factor => constantOf(factor) !== null).length > 1
  if (operator !== '+' && operator !== '-') return false
  const terms = termsOf(node)
  const isDouble = (at: number, first: number) =>
    at === first + 1 && terms[at]?.factor === 1 && terms[first]?.factor === 1
  const places = new Map<string, number[]>()
  for (const [at, { key }] of terms.entries()) places.set(key, [...(places.get(key) ?? []), at])
  const comesAgain = [...places].some(
    ([key, [first = 0, second, ...more]]) =>
      second !== undefined && (key === '' || more.length > 0 || !isDouble(second, first)),
  )
  // `0 - x` is a way to write that x is negated.
  return comesAgain || terms.slice(1).some(({ key, factor }) => key === '' && factor === 0)
}

/** Terms of a sum or a product; any other node is one term. */
function termsOf(node: PythonNode): Term[] {
  const value = constantOf(node)
  if (value !== null) return [{ key: '', factor: value }]
  const [first, second, third] = node.children
  if (node.type === 'ParenthesizedExpression' && second) return termsOf(second)
  if (node.type === 'UnaryExpression' && second && first?.text === '-') return negated(termsOf(second))
  const [left, right] = node.type === 'BinaryExpression' ? [first, third] : []
  if (left && right && second?.text === '+') return [...termsOf(left), ...termsOf(right)]
  if (left && right && second?.text === '-') return [...termsOf(left), ...negated(termsOf(right))]
  const multiplied = left && right && second?.text === '*' ? multipliedOut(termsOf(left), termsOf(right)) : null
  return multiplied ?? [{ key: bareText(node), factor: 1 }]
}

const strings: ReadonlySet<string> = new Set(['String', 'FormatString', 'ContinuedString'])

/** Text of a node without white space and comments. */
const bareText = (node: PythonNode): string =>
  node.children.length === 0 || strings.has(node.type) ? node.text : node.children.map(bareText).join('')

const negated = (terms: readonly Term[]) => terms.map(({ key, factor }) => ({ key, factor: -factor }))

function multipliedOut(left: readonly Term[], right: readonly Term[]): Term[] | null {
  if (left.length * right.length > MAX_TERMS) return null
  const keyOf = (a: string, b: string) =>
    [...a.split(TIMES), ...b.split(TIMES)]
      .filter(part => part !== '')
      .sort()
      .join(TIMES)
  return left.flatMap(a => right.map(b => ({ key: keyOf(a.key, b.key), factor: a.factor * b.factor })))
}

/** Separator that no node's text contains. */
const TIMES = '\n'

/** Factors of a product; any other node is its own factor. */
function factorsOf(node: PythonNode): PythonNode[] {
  const [first, second, third] = node.children
  if (node.type === 'ParenthesizedExpression' && second && isProduct(second)) return factorsOf(second)
  if (!isProduct(node) || !first || !third) return [node]
  return [...factorsOf(first), ...factorsOf(third)]
}

const isProduct = ({ type, children }: PythonNode) => type === 'BinaryExpression' && children[1]?.text === '*'
