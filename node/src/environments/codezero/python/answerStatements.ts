import { moduleNames, usedNames } from './moduleNames.ts'
import type { PythonNode } from './parsePython.ts'

/** A module's statements as an answer: what belongs to it, and what only shows it. */
export type AnswerStatements = {
  readonly kept: readonly PythonNode[]
  /** Example calls, assertions, a `__main__` block: nothing that the answer needs. */
  readonly cut: readonly PythonNode[]
}

/**
 * Of a module's statements, those that belong to the function that is asked for: itself, all that stands before it, and of what follows those that
 * give a value to a name that these use.
 */
export function answerStatements(statements: readonly PythonNode[], asked: PythonNode): AnswerStatements {
  const first = statements.slice(0, statements.indexOf(asked) + 1)
  const following = statements.slice(first.length)
  const used = new Set(first.flatMap(statement => [...usedNames(statement)]))
  const belongs = new Set<PythonNode>()
  for (let size = -1; size !== belongs.size; ) {
    size = belongs.size
    for (const statement of following) {
      if (belongs.has(statement) || ![...moduleNames(statement)].some(name => used.has(name))) continue
      belongs.add(statement)
      for (const name of usedNames(statement)) used.add(name)
    }
  }
  return {
    kept: [...first, ...following.filter(statement => belongs.has(statement))],
    cut: following.filter(statement => !belongs.has(statement)),
  }
}

/** The code of an answer without what only shows it. */
export function codeOf(code: string, asked: PythonNode, { kept, cut }: AnswerStatements): string {
  if (cut.length === 0) return code
  const following = kept.filter(statement => statement.from > asked.from)
  return [code.slice(0, asked.to), ...following.map(({ text }) => text)].map(part => `${part.trimEnd()}\n`).join('')
}
