import { boundNames, readNames } from './boundNames.ts'
import { without } from './deadAssignments.ts'
import type { PythonNode } from './pythonNode.ts'

/**
 * Whether a function reads a name that it only makes its own, without a value: by a hint, `sum: int`, or by `sum = sum`, which reads the name before
 * it has one.
 */
export function readsUnset(node: PythonNode): boolean {
  return (node.type === 'FunctionDefinition' && readsOwnUnset(node)) || node.children.some(readsUnset)
}

function readsOwnUnset(definition: PythonNode): boolean {
  const claims = claimsIn(definition)
  const bound = boundNames(without(definition, new Set(claims)))
  const read = readNames(without(definition, new Set(claims.filter(isHint))))
  return claims.some(({ children: [name] }) => name && !bound.has(name.text) && read.has(name.text))
}

/** Statements that give a name no value, outside of inner functions. */
const claimsIn = ({ children }: PythonNode): PythonNode[] =>
  children.flatMap(child => [
    ...(isHint(child) || isOfItself(child) ? [child] : []),
    ...(child.type === 'FunctionDefinition' ? [] : claimsIn(child)),
  ])

const partsOf = ({ children }: PythonNode) => children.filter(({ type }) => type !== 'TypeDef')

const isHint = (node: PythonNode) =>
  node.type === 'AssignStatement' && partsOf(node).length === 1 && node.children[0]?.type === 'VariableName'

function isOfItself(node: PythonNode): boolean {
  const [name, , value, ...more] = node.type === 'AssignStatement' ? partsOf(node) : []
  return name?.type === 'VariableName' && name.text === value?.text && more.length === 0
}
