import type { Problem } from './curriculum/task.ts'
import { functionHeader } from './python/functionHeader.ts'
import { parsePython, statementsOf } from './python/parsePython.ts'

/** The checks of form, in the order in which an answer fails them. None of them runs the code. */
export const structureChecks = ['fenced', 'parses', 'defines', 'adheres', 'ends'] as const
export type StructureCheck = (typeof structureChecks)[number]

export type Structure = {
  checks: Record<StructureCheck, boolean>
  /** The code, where every check holds. */
  code: string | null
}

/**
 * An answer's form.
 *
 * - `fenced`: exactly one fenced Python block.
 * - `parses`: what it holds is valid Python.
 * - `defines`: a plain function of the required name, at the top.
 * - `adheres`: with exactly the required parameters, and nothing beside it, in the block or around it.
 * - `ends`: the answer ended by itself, inside the limit of tokens.
 */
export async function checkStructure(answer: string, ended: boolean, problem: Problem): Promise<Structure> {
  const block = fencedBlock(answer)
  const tree = block ? await parsePython(block.code) : null
  const statements = tree ? statementsOf(tree) : []
  const headers = statements.map(functionHeader)
  const header = headers.find(candidate => candidate?.name === problem.name)
  const hasParameters = header?.parameters?.join() === problem.parameters.join()
  const checks = {
    fenced: block !== null,
    parses: tree !== null && statements.length > 0,
    defines: header !== undefined,
    adheres: hasParameters && statements.length === 1 && block?.around === '',
    ends: ended,
  }
  return { checks, code: Object.values(checks).every(Boolean) ? (block?.code ?? null) : null }
}

/** The one fenced Python block of a text, and what stands around it; null where there is none, or more than one. */
export function fencedBlock(text: string): { code: string; around: string } | null {
  const parts = text.split('```')
  const [before, block, after] = parts
  if (parts.length !== 3 || !block?.startsWith('python\n')) return null
  return { code: block.slice('python\n'.length), around: `${before}${after}`.trim() }
}
