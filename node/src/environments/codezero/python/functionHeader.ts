import type { PythonNode } from './pythonNode.ts'

/** A function's header. */
type FunctionHeader = {
  name: string
  /** Names that a call may fill by position, in order. */
  positional: readonly string[]
  /** Number of leading parameters without a default. */
  required: number
  /** Whether a name after a star has no default, so that no call by position is enough. */
  needsKeyword: boolean
}

/** The `def` of a statement, decorated or not; null for any other, async functions too. */
export function functionOf(statement: PythonNode): PythonNode | null {
  const definition =
    statement.type === 'DecoratedStatement'
      ? statement.children.find(({ type }) => type === 'FunctionDefinition')
      : statement
  return definition?.type === 'FunctionDefinition' && definition.children[0]?.type === 'def' ? definition : null
}

/** The header of a `def`; null for any other statement. */
export function functionHeader(statement: PythonNode): FunctionHeader | null {
  const definition = functionOf(statement)
  const name = definition?.children.find(child => child.type === 'VariableName')?.text
  const list = definition?.children.find(child => child.type === 'ParamList')
  if (!name || !list) return null
  const header = { name, positional: [] as string[], required: 0, needsKeyword: false }
  let isPastStar = false
  for (const parameter of parametersIn(list)) {
    const isStarred = parameter.some(({ type }) => type === '*' || type === '**')
    const own = parameter.find(({ type }) => type === 'VariableName')?.text
    const hasDefault = parameter.some(({ type }) => type === 'AssignOp')
    if (isStarred) isPastStar = true
    else if (isPastStar) header.needsKeyword ||= !hasDefault
    else if (own !== undefined) {
      header.positional.push(own)
      if (!hasDefault) header.required = header.positional.length
    }
  }
  return header
}

/** Nodes of each parameter. */
function parametersIn(list: PythonNode): PythonNode[][] {
  const found: PythonNode[][] = [[]]
  for (const child of list.children.slice(1, -1)) {
    if (child.type === ',') found.push([])
    else found.at(-1)?.push(child)
  }
  return found
}

/** Whether the header accepts a call with these names' values, by position. */
export function takes({ positional, required, needsKeyword }: FunctionHeader, parameters: readonly string[]): boolean {
  const given = positional.slice(0, parameters.length)
  return !needsKeyword && required <= parameters.length && given.join() === parameters.join()
}
