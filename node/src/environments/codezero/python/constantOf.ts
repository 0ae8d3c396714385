import type { PythonNode } from './pythonNode.ts'

const operations: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
}

/** The value of an expression of whole decimal numbers, `+`, `-`, `*` and brackets alone; null for any other, and beyond 2^53. */
export function constantOf({ type, text, children }: PythonNode): number | null {
  const value = type === 'Number' ? literal(text) : combined(type, children)
  return value !== null && Number.isSafeInteger(value) ? value : null
}

const literal = (text: string) => (/^\d+$/.test(text) ? Number(text) : null)

function combined(type: string, [first, second, third]: readonly PythonNode[]): number | null {
  if (second === undefined) return null
  if (type === 'ParenthesizedExpression') return constantOf(second)
  const operate = operations[(type === 'UnaryExpression' ? first : second)?.text ?? '']
  if (type === 'UnaryExpression') {
    const value = constantOf(second)
    return operate === undefined || first?.text === '*' || value === null ? null : operate(0, value)
  }
  if (type !== 'BinaryExpression' || operate === undefined || first === undefined || third === undefined) return null
  const [left, right] = [constantOf(first), constantOf(third)]
  return left === null || right === null ? null : operate(left, right)
}
