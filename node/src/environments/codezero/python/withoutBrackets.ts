import type { PythonNode } from './pythonNode.ts'

/** The expression within any number of brackets. */
export function withoutBrackets(node: PythonNode): PythonNode {
  const inner = node.children[1]
  return node.type === 'ParenthesizedExpression' && inner ? withoutBrackets(inner) : node
}
