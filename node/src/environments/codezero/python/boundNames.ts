import { isIdleStatement } from './isIdle.ts'
import type { PythonNode } from './pythonNode.ts'

/** Names that the code binds itself, which therefore shadow built-ins. */
export function boundNames(node: PythonNode, isBinding = false, found = new Set<string>()): Set<string> {
  if (isBinding && node.type === 'VariableName') found.add(node.text)
  const binding = isBinding ? none : new Set(bindingChildren(node))
  for (const child of node.children) boundNames(child, isBinding || binding.has(child), found)
  return found
}

/** Names whose values the code uses: neither bound there nor in a statement that only names values. */
export function readNames(node: PythonNode, found = new Set<string>()): Set<string> {
  if (node.type === 'VariableName') found.add(node.text)
  if (isIdleStatement(node)) return found
  const binding = new Set(bindingChildren(node))
  for (const child of node.children) if (!binding.has(child) || child.children.length > 0) readNames(child, found)
  return found
}

/** Whether code names anything; otherwise its value is always the same. */
export const hasName = ({ type, children }: PythonNode): boolean => type === 'VariableName' || children.some(hasName)

const none: ReadonlySet<PythonNode> = new Set()

function loopNames(children: readonly PythonNode[]): readonly PythonNode[] {
  let isLoop = false
  return children.filter(({ type }) => {
    isLoop = type === 'for' || (isLoop && type !== 'in')
    return isLoop && type !== 'for'
  })
}

/** Children of a node in which every name is one that it binds. */
export function bindingChildren({ type, children }: PythonNode): readonly PythonNode[] {
  const position = (of: string) => children.findIndex(child => child.type === of)
  if (type === 'ParamList')
    return children.filter((child, at) => child.type === 'VariableName' && children[at - 1]?.type !== 'AssignOp')
  if (type === 'AssignStatement') {
    const last = children.findLastIndex(child => child.type === 'AssignOp')
    return children.slice(0, last)
  }
  if (type === 'UpdateStatement' || type === 'NamedExpression') return children.slice(0, 1)
  if (type === 'ForStatement') return children.slice(position('for') + 1, position('in'))
  if (type === 'TypeDefinition' || type === 'TypeParam')
    return children.filter(child => child.type === 'VariableName').slice(0, 1)
  // A generator may be the argument of a call without its own brackets, and any comprehension may have several loops.
  if (type === 'ArgList')
    return [...children.filter((_, at) => children[at + 1]?.text === ':='), ...loopNames(children)]
  if (type.endsWith('ComprehensionExpression')) return loopNames(children)
  return type === 'ImportStatement' || type === 'FunctionDefinition'
    ? children.filter(child => child.type === 'VariableName')
    : []
}
