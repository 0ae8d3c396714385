import type { Problem } from '../curriculum/task.ts'
import { readNames } from './boundNames.ts'
import { functionHeader, functionOf } from './functionHeader.ts'
import type { PythonNode } from './pythonNode.ts'

/** Whether the function that a problem asks for uses the value of one of its parameters. */
export function readsParameters(script: PythonNode, { name, parameters }: Omit<Problem, 'text'>): boolean {
  const statement = script.children.find(child => functionHeader(child)?.name === name)
  const body = statement && functionOf(statement)?.children.find(({ type }) => type === 'Body')
  const read = body && readNames(body)
  return parameters.some(parameter => read?.has(parameter))
}
