import type { Problem } from '../curriculum/task.ts'
import { boundNames } from './boundNames.ts'
import { functionHeader, functionOf } from './functionHeader.ts'
import { isIdleStatement } from './isIdle.ts'
import { type PythonNode, parsePython } from './parsePython.ts'

/**
 * The requested function reduced to what Python runs, as one line: without white space, comments, type hints, `pass` and statements that
 * only name a value, and with its own names numbered by first appearance. Equal skeletons are one function in two spellings.
 *
 * @returns null if the code is not valid Python, or has no function of the name.
 */
export async function codeSkeleton(
  code: string,
  { name, parameters }: Pick<Problem, 'name' | 'parameters'>,
): Promise<string | null> {
  const tree = await parsePython(code)
  const statement = tree?.children.find(child => functionHeader(child)?.name === name)
  const definition = statement && functionOf(statement)
  return definition ? skeletonOf(definition, { name, parameters }) : null
}

/** Skeleton of any statement, with its decorators. */
export function skeletonOf(statement: PythonNode, { name, parameters }: Pick<Problem, 'name' | 'parameters'>): string {
  const kept = new Set([name, ...parameters])
  const places = new Map([...boundNames(statement)].filter(own => !kept.has(own)).map((own, at) => [own, `v${at}`]))
  return piecesOf(statement, places).join(' ')
}

const strings: ReadonlySet<string> = new Set(['String', 'FormatString', 'ContinuedString'])
const unread: ReadonlySet<string> = new Set(['Comment', 'TypeDef', 'PassStatement', ';'])

function piecesOf(node: PythonNode, places: ReadonlyMap<string, string>): string[] {
  if (unread.has(node.type) || isIdleStatement(node)) return []
  if (node.type === 'VariableName') return [places.get(node.text) ?? node.text]
  if (strings.has(node.type)) return [node.text.replace(/^(['"])([^'"\\]*)\1$/, "'$2'")]
  if (node.children.length === 0) return [node.text]
  // Marks the end of a block, so that later statements are assigned correctly.
  const pieces = node.children.flatMap(child => piecesOf(child, places))
  return node.type === 'Body' ? [...pieces, 'end'] : pieces
}
