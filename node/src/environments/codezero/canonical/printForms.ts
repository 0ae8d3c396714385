import type { PythonNode } from '../python/pythonNode.ts'
import { withoutBrackets } from '../python/withoutBrackets.ts'
import { bindingPower, powerNeeded } from './bindingPower.ts'

const INDENT = '    '

/**
 * Writes a function of known forms (`hasKnownForms`) as the curriculum writes its solutions, without brackets that change nothing, whatever the
 * indentation, line breaks and spaces of its own.
 *
 * @param leaf - the text of a leaf; null for a node that is not one.
 * @param unread - nodes that are left out.
 */
export function printForms(
  lone: PythonNode,
  leaf: (node: PythonNode) => string | null,
  unread: ReadonlySet<PythonNode>,
): string {
  const lines: string[] = []

  function statement(node: PythonNode, depth: number): void {
    let head: string[] = []
    for (const child of node.children.filter(one => !unread.has(one))) {
      if (child.type !== 'Body') {
        head.push(expression(child, 0))
        continue
      }
      lines.push(`${INDENT.repeat(depth)}${spaced(head)}:`)
      head = []
      for (const inner of returned(child.children.slice(1).filter(one => !unread.has(one)))) statement(inner, depth + 1)
    }
    if (head.length > 0) lines.push(`${INDENT.repeat(depth)}${spaced(head)}`)
  }

  function expression(bracketed: PythonNode, least: number): string {
    const node = withoutBrackets(bracketed)
    const text = leaf(node) ?? composed(node)
    return bindingPower(node) < least ? `(${text})` : text
  }

  function composed(node: PythonNode): string {
    const parts = node.children.flatMap((child, at) =>
      unread.has(child) ? [] : [expression(child, powerNeeded(node, at))],
    )
    if (node.type === 'ArrayComprehensionExpression') return `[${spaced(parts.slice(1, -1))}]`
    if (node.type === 'ArgList' || node.type === 'ParamList') return `(${listed(parts.slice(1, -1))})`
    if (joined.has(node.type) || (node.type === 'UnaryExpression' && parts[0] !== 'not')) return parts.join('')
    return spaced(parts)
  }

  statement(lone, 0)
  return `${lines.join('\n')}\n`
}

/** Statements whose last two assign a value to a name and return it, as the return of that value. */
function returned(statements: readonly PythonNode[]): readonly PythonNode[] {
  const [assigned, last] = statements.slice(-2)
  const [target, , value] = assigned?.children ?? []
  const [word, returns] = last?.children ?? []
  const name = returns && withoutBrackets(returns)
  const isShort =
    assigned?.type === 'AssignStatement' && last?.type === 'ReturnStatement' && name?.type === 'VariableName'
  if (!isShort || target?.text !== name.text || value === undefined || word === undefined) return statements
  return [...statements.slice(0, -2), { ...last, children: [word, value] }]
}

/** Parts without spaces between them. */
const joined: ReadonlySet<string> = new Set('MemberExpression CallExpression ArrayExpression ArithOp'.split(' '))

/** A header's parameters, and a call's brackets, follow a name without a space. */
const spaced = (parts: readonly string[]) => parts.join(' ').replace(/^(def \w+) \(/, '$1(')

const listed = (parts: readonly string[]) => parts.join(' ').replaceAll(' ,', ',')
