import type { Problem } from '../curriculum/task.ts'
import { functionHeader, functionOf } from './functionHeader.ts'
import type { PythonNode } from './parsePython.ts'

/** What is inside returns for itself, and not for the function around it. */
const otherFunctions: ReadonlySet<string> = new Set(['FunctionDefinition', 'LambdaExpression', 'ClassDefinition'])

/**
 * Whether the function that a problem asks for returns None for every input: none of its `return` statements has a value. The starter's judge
 * reads the loop and takes a bare `return` after it for right.
 */
export function givesNothing(script: PythonNode, { name }: Pick<Problem, 'name'>): boolean {
  const statement = script.children.find(child => functionHeader(child)?.name === name)
  const body = statement && functionOf(statement)?.children.find(({ type }) => type === 'Body')
  return body !== undefined && !givesValue(body)
}

function givesValue({ type, children }: PythonNode): boolean {
  if (otherFunctions.has(type)) return false
  if (type.startsWith('Yield')) return true
  if (type === 'ReturnStatement') return children.slice(1).some(child => !isNone(child))
  return children.some(givesValue)
}

/** None by itself, in however many brackets. */
function isNone({ type, children }: PythonNode): boolean {
  return type === 'None' || (type === 'ParenthesizedExpression' && children.slice(1, -1).every(isNone))
}
