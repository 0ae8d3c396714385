import { moduleNames, usedNames } from './moduleNames.ts'
import type { PythonNode } from './pythonNode.ts'

/** A module's statements, split into those that belong to the answer and those that only demonstrate it. */
export type AnswerStatements = {
  readonly kept: readonly PythonNode[]
  /** Example calls, assertions, a `__main__` block: nothing that the answer needs. */
  readonly cut: readonly PythonNode[]
}

/**
 * Selects the statements of a module that belong to the requested function: the function, everything before it, and later statements that give a
 * value to a name that the selected ones use.
 */
export function answerStatements(statements: readonly PythonNode[], asked: PythonNode): AnswerStatements {
  const first = statements.slice(0, statements.indexOf(asked) + 1)
  const following = statements.slice(first.length)
  const givers = new Map<string, PythonNode[]>()
  for (const statement of following)
    for (const name of moduleNames(statement)) {
      const known = givers.get(name)
      if (known) known.push(statement)
      else givers.set(name, [statement])
    }
  // Each name and each statement is visited once: an answer may be a chain of thousands of helpers.
  const used = new Set(first.flatMap(statement => [...usedNames(statement)]))
  const belongs = new Set<PythonNode>()
  for (const name of used)
    for (const statement of givers.get(name) ?? []) {
      if (belongs.has(statement)) continue
      belongs.add(statement)
      for (const needed of usedNames(statement)) used.add(needed)
    }
  return {
    kept: [...first, ...following.filter(statement => belongs.has(statement))],
    cut: following.filter(statement => !belongs.has(statement)),
  }
}

/** The code of an answer without demonstration statements. */
export function codeOf(code: string, asked: PythonNode, { kept, cut }: AnswerStatements): string {
  if (cut.length === 0) return code
  const following = kept.filter(statement => statement.from > asked.from)
  return [code.slice(0, asked.to), ...following.map(({ text }) => text)].map(part => `${part.trimEnd()}\n`).join('')
}
