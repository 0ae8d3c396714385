import type { PythonNode } from './parsePython.ts'

/** A function's header: its parameters, or null where they are more than plain names. */
export type FunctionHeader = { name: string; parameters: readonly string[] | null }

/** The header of a plain `def`; null for any other statement (decorated and async functions too). */
export function functionHeader(statement: PythonNode): FunctionHeader | null {
  if (statement.type !== 'FunctionDefinition' || statement.children[0]?.type !== 'def') return null
  const name = statement.children.find(child => child.type === 'VariableName')?.text
  const list = statement.children.find(child => child.type === 'ParamList')
  if (!name || !list) return null
  const plain = list.children.every(child => ['(', ')', ',', 'VariableName'].includes(child.type))
  const parameters = list.children.filter(child => child.type === 'VariableName').map(child => child.text)
  return { name, parameters: plain ? parameters : null }
}
