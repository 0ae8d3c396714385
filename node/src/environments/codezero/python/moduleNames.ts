import { bindingChildren, boundNames } from './boundNames.ts'
import type { PythonNode } from './pythonNode.ts'

/** Stands for the names that a star import binds, which may be any. */
export const ANY_NAME = '*'

/**
 * Names of the module to which a statement gives a value, or whose value it deletes: for a definition its own name and those that it declares
 * global, for an assignment its targets, even if only a part of them changes.
 */
export function moduleNames(node: PythonNode): Set<string> {
  const { type, children } = node
  if (type === 'ImportStatement' && children.some(child => child.type === '*')) return new Set([ANY_NAME])
  const own = namesIn(bindings(node))
  if (type === 'FunctionDefinition' || type === 'ClassDefinition' || type === 'LambdaExpression')
    return new Set([...(type === 'LambdaExpression' ? [] : own), ...globalNames(node)])
  return new Set([...own, ...children.flatMap(child => [...moduleNames(child)])])
}

/** Names of the module that a statement uses. */
export function usedNames(statement: PythonNode): Set<string> {
  const bound = new Set([...boundNames(statement), ...furtherBound(statement)])
  return new Set([...readIn(statement).filter(name => !bound.has(name)), ...globalNames(statement)])
}

/** All names but those of keyword arguments. */
function readIn({ type, text, children }: PythonNode): string[] {
  if (type === 'VariableName') return [text]
  const isKeyword = (at: number) => type === 'ArgList' && children[at + 1]?.type === 'AssignOp'
  return children.flatMap((child, at) => (isKeyword(at) ? [] : readIn(child)))
}

/** Children of a node in which every name is one that it binds. */
export const bindings = (node: PythonNode) => [...bindingChildren(node), ...furtherBindings(node)]

/** Children that a node binds beyond those that `boundNames` knows. */
function furtherBindings({ type, children }: PythonNode): readonly PythonNode[] {
  if (type === 'WithStatement' || type === 'TryStatement')
    return children.filter((_, at) => children[at - 1]?.type === 'as')
  if (type === 'ClassDefinition') return children.filter(child => child.type === 'VariableName').slice(0, 1)
  return type === 'DeleteStatement' || type === 'CapturePattern' ? children : []
}

const furtherBound = (node: PythonNode): string[] => [
  ...namesIn(furtherBindings(node)),
  ...node.children.flatMap(furtherBound),
]

const namesIn = (nodes: readonly PythonNode[]): string[] =>
  nodes.flatMap(({ type, text, children }) => (type === 'VariableName' ? [text] : namesIn(children)))

function globalNames({ type, children }: PythonNode): string[] {
  if (type === 'ScopeStatement') return children[0]?.type === 'global' ? namesIn(children) : []
  return children.flatMap(globalNames)
}
