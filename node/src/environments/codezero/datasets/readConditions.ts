import { functionHeader } from '../python/functionHeader.ts'
import { type PythonNode, parsePython, statementsOf } from '../python/parsePython.ts'

/** The condition of a test that is one `assert CONDITION`, with or without a message; null if it is none. */
export async function readCondition(test: string): Promise<PythonNode | null> {
  const tree = await parsePython(test.trim())
  const [statement, ...others] = tree ? statementsOf(tree) : []
  if (statement?.type !== 'AssertStatement' || others.length > 0) return null
  return statement.children[1] ?? null
}

/** The call that a condition tests: the first one of a name that is defined by the code, or of any name where there is no code. */
export function testedCall(
  condition: PythonNode,
  defined: ReadonlySet<string> | null,
): { name: string; arity: number } | null {
  if (condition.type === 'CallExpression') {
    const [callee, list] = condition.children
    const isTested =
      callee?.type === 'VariableName' && (defined === null ? !builtIns.has(callee.text) : defined.has(callee.text))
    if (isTested) {
      const args = list?.children.filter(child => !['(', ')', ',', 'Comment'].includes(child.type)) ?? []
      return { name: callee.text, arity: args.length }
    }
  }
  for (const child of condition.children) {
    const found = testedCall(child, defined)
    if (found) return found
  }
  return null
}

/** Names and parameters of the functions that code defines at its top; null parameters where a call by position is not enough. */
export async function definedFunctions(code: string): Promise<Map<string, readonly string[] | null>> {
  const tree = await parsePython(code.replaceAll('\r\n', '\n'))
  const headers = tree ? statementsOf(tree).flatMap(statement => functionHeader(statement) ?? []) : []
  return new Map(headers.map(({ name, positional, needsKeyword }) => [name, needsKeyword ? null : positional]))
}

/** What wraps a call in tests. */
const builtIns = new Set(
  'set sorted list tuple dict len abs round str int float bool sum max min any all isinstance'.split(' '),
)
