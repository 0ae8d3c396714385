import { bindingChildren, readNames } from './boundNames.ts'
import { isIdle } from './isIdle.ts'
import type { PythonNode } from './pythonNode.ts'
import { withoutBrackets } from './withoutBrackets.ts'

/**
 * Assignments that change nothing: of values without calls or elements, to names that nothing else reads, or of names to themselves. Chains of them
 * are found too, imports of such names, and such values and type hints as statements.
 */
export function deadAssignments(code: PythonNode): ReadonlySet<PythonNode> {
  const candidates = assignmentsIn(code).filter(({ isPure }) => isPure)
  const removable = new Set(candidates.map(({ statement }) => statement))
  const live = new Set([...readNames(without(code, removable)), ...updatedNames(code)])
  const byTarget = new Map<string, Assignment[]>()
  for (const one of candidates.filter(({ changesNothing }) => !changesNothing))
    for (const target of one.targets) {
      const others = byTarget.get(target)
      if (others) others.push(one)
      else byTarget.set(target, [one])
    }
  // A name that is added while the set is read is read too.
  for (const name of live)
    for (const { statement } of byTarget.get(name) ?? [])
      if (removable.delete(statement)) for (const read of readNames(statement)) live.add(read)
  return removable
}

/** A tree without some of its statements. */
export const without = (node: PythonNode, statements: ReadonlySet<PythonNode>): PythonNode => ({
  ...node,
  children: node.children.filter(child => !statements.has(child)).map(child => without(child, statements)),
})

type Assignment = {
  readonly statement: PythonNode
  readonly targets: readonly string[]
  readonly isPure: boolean
  /** Whether names get their own values, or none. */
  readonly changesNothing: boolean
}

function assignmentsIn(node: PythonNode): Assignment[] {
  const read = statements[node.type]
  return [...(read ? [read(node)] : []), ...node.children.flatMap(assignmentsIn)]
}

/** A hint alone, `y: int`, has no value. */
function assignment(statement: PythonNode): Assignment {
  const parts = statement.children.filter(({ type }) => type !== 'TypeDef').map(withoutBrackets)
  const last = parts.findLastIndex(({ type }) => type === 'AssignOp')
  const [targets, values] = last < 0 ? [parts, []] : [parts.slice(0, last), parts.slice(last + 1)]
  const isPlain = targets.every(({ type }) => ['VariableName', 'AssignOp', ','].includes(type))
  const names = targets.filter(({ type }) => type === 'VariableName').map(({ text }) => text)
  const sides = parts
    .map(({ text }) => text)
    .join(' ')
    .split(' = ')
  const changesNothing = sides.every(side => side === sides[0])
  return { statement, targets: names, isPure: isPlain && values.every(isPure), changesNothing }
}

const expression = (statement: PythonNode): Assignment => ({
  statement,
  targets: [],
  isPure: statement.children.every(isPure),
  changesNothing: true,
})

const imports = (statement: PythonNode): Assignment => ({
  statement,
  targets: bindingChildren(statement).map(({ text }) => text),
  isPure: true,
  changesNothing: false,
})

const statements: Readonly<Record<string, (statement: PythonNode) => Assignment>> = {
  AssignStatement: assignment,
  ImportStatement: imports,
  ExpressionStatement: expression,
}

const operations: ReadonlySet<string> = new Set(
  (
    'ParenthesizedExpression TupleExpression ArrayExpression SetExpression DictionaryExpression UnaryExpression ' +
    'BinaryExpression ConditionalExpression FormatString ContinuedString FormatReplacement FormatSpec'
  ).split(' '),
)
const operators: ReadonlySet<string> = new Set(
  'ArithOp BitOp CompareOp and or not in is if else FormatConversion FormatSelfDoc { } :'.split(' '),
)

function isPure(node: PythonNode): boolean {
  return operators.has(node.type) || (operations.has(node.type) && node.children.every(isPure)) || isIdle(node)
}

/** Names whose values an update changes in place. */
function updatedNames(node: PythonNode): string[] {
  const [target] = node.type === 'UpdateStatement' ? node.children : []
  return [...(target ? [...readNames(target)] : []), ...node.children.flatMap(updatedNames)]
}
