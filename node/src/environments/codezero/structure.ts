import type { Problem } from './curriculum/task.ts'
import { boundNames } from './python/boundNames.ts'
import { functionHeader, takes } from './python/functionHeader.ts'
import { type PythonNode, parsePython, statementsOf } from './python/parsePython.ts'

/** The checks of form, in the order in which an answer fails them. None of them runs the code. */
export const structureChecks = ['fenced', 'parses', 'defines', 'adheres', 'ends'] as const
type StructureCheck = (typeof structureChecks)[number]

export type Structure = {
  checks: Record<StructureCheck, boolean>
  /** The code, where every check holds. */
  code: string | null
}

/** Statements that an answer may hold besides the function. */
const otherStatements: ReadonlySet<string> = new Set([
  'ImportStatement',
  'AssignStatement',
  'FunctionDefinition',
  'DecoratedStatement',
  'ClassDefinition',
  'PassStatement',
])

/**
 * An answer's form.
 *
 * - `fenced`: exactly one fenced Python block; there may be prose around it.
 * - `parses`: what it holds is valid Python.
 * - `defines`: one function of the required name, at the top.
 * - `adheres`: a call with the required parameters fits it. Besides it there are only imports, helpers, constants and docstrings, and
 *   none of them takes its name.
 * - `ends`: the answer ended by itself, inside the limit of tokens.
 */
export async function checkStructure(answer: string, ended: boolean, problem: Problem): Promise<Structure> {
  const block = fencedBlock(answer)
  const tree = block ? await parsePython(block.code) : null
  const statements = tree ? statementsOf(tree) : []
  const named = statements.filter(statement => functionHeader(statement)?.name === problem.name)
  const header = named[0] ? functionHeader(named[0]) : null
  const others = statements.filter(statement => !named.includes(statement))
  const checks = {
    fenced: block !== null,
    parses: tree !== null && statements.length > 0,
    defines: named.length === 1,
    adheres:
      header !== null && takes(header, problem.parameters) && others.every(other => mayStand(other, problem.name)),
    ends: ended,
  }
  return { checks, code: Object.values(checks).every(Boolean) ? (block?.code ?? null) : null }
}

function mayStand(statement: PythonNode, name: string): boolean {
  const [first, ...more] = statement.children
  if (statement.type === 'ExpressionStatement') return first?.type === 'String' && more.length === 0
  return otherStatements.has(statement.type) && !boundNames(statement).has(name)
}

/** The one fenced Python block of a text; null if there is none, or more than one. */
export function fencedBlock(text: string): { code: string } | null {
  const parts = text.replaceAll('\r\n', '\n').split('```')
  const [, language = '', code] = /^(python3?|py)[ \t]*\n([\s\S]*)$/i.exec(parts[1] ?? '') ?? []
  return parts.length === 3 && language !== '' && code !== undefined ? { code } : null
}
