import type { Problem } from '../curriculum/task.ts'
import { boundNames, readNames } from './boundNames.ts'
import { functionHeader } from './functionHeader.ts'
import { type PythonNode, statementsOf } from './parsePython.ts'

/**
 * The function that a problem asks for, if it is self-contained, so that a model that knows only single functions can read it.
 *
 * Null if it uses an import, a helper or a constant of the module, or takes more parameters than the problem has. Null also if
 * it computes nothing, never reads a parameter, or holds unreachable code: there the model would guess the likeliest text, or
 * read code that never runs.
 */
export function loneFunction(script: PythonNode, { name, parameters }: Omit<Problem, 'text'>): PythonNode | null {
  const statements = statementsOf(script)
  const found = statements.find(statement => functionHeader(statement)?.name === name)
  if (found?.type !== 'FunctionDefinition') return null
  if (functionHeader(found)?.positional.length !== parameters.length) return null
  const body = found.children.find(({ type }) => type === 'Body')
  if (!body || !computes(body) || hidesCode(body)) return null
  const read = readNames(body)
  if (!parameters.every(parameter => read.has(parameter))) return null
  const others = statements.filter(statement => statement !== found)
  return others.some(other => namesMadeBy(other).some(made => read.has(made))) ? null : found
}

const plain = ['ParenthesizedExpression', 'TupleExpression', 'ArrayExpression', 'SetExpression', 'DictionaryExpression']

/** Whether anything is done with values, beyond naming and listing them. */
function computes(node: PythonNode): boolean {
  if (node.type === 'UpdateStatement' || (node.type.endsWith('Expression') && !plain.includes(node.type))) return true
  return node.children.some(computes)
}

const leaving = ['ReturnStatement', 'RaiseStatement', 'BreakStatement', 'ContinueStatement']
const constants = ['Boolean', 'Number', 'String', 'None']
const branching = ['IfStatement', 'WhileStatement', 'ConditionalExpression']

/** Whether there is code that is never reached, or need not be: after a statement that leaves, under a constant, in a function inside. */
function hidesCode({ type, children }: PythonNode): boolean {
  const statements = children.filter(child => child.type.endsWith('Statement') || child.type.endsWith('Definition'))
  if (type === 'Body' && statements.slice(0, -1).some(statement => leaving.includes(statement.type))) return true
  if (type === 'FunctionDefinition' || type === 'ClassDefinition' || type === 'LambdaExpression') return true
  if (branching.includes(type) && conditionsOf(type, children).some(child => constants.includes(child.type)))
    return true
  return children.some(hidesCode)
}

function conditionsOf(type: string, children: readonly PythonNode[]): PythonNode[] {
  if (type === 'ConditionalExpression') return children.slice(2, 3)
  return children.filter((_, at) => ['if', 'elif', 'while'].includes(children[at - 1]?.type ?? ''))
}

/** Names that a statement of the module gives a value. */
function namesMadeBy(statement: PythonNode): string[] {
  const own = statement.children.find(({ type }) => type === 'FunctionDefinition' || type === 'ClassDefinition')
  const definition = statement.type === 'DecoratedStatement' && own ? own : statement
  const name = definition.children.find(({ type }) => type === 'VariableName')
  const isDefinition = definition.type === 'FunctionDefinition' || definition.type === 'ClassDefinition'
  return isDefinition && name ? [name.text] : [...boundNames(statement)]
}
