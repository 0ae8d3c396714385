import { turns } from '#core/turns.ts'
import type { Problem } from '../curriculum/task.ts'
import { type PythonNode, parsePython } from './parsePython.ts'

/** Names that keep their meaning unless the code binds them: built-ins, and keywords of their calls. */
const keptNames = new Set(
  (
    'range len sum max min abs sorted reversed list int str enumerate zip map filter any all bool set tuple dict float ' +
    'round pow divmod ord chr isinstance type print iter next repr None True False reverse key default start sep end'
  ).split(' '),
)

/** Methods that keep their names. */
const keptMethods = new Set(
  (
    'append extend insert pop remove clear index count sort reverse copy upper lower strip lstrip rstrip split join ' +
    'replace find startswith endswith isdigit isalpha items keys values get add update title capitalize swapcase'
  ).split(' '),
)

/** Names given to the code's own identifiers, in order of first appearance; none is a parameter of the curriculum. */
const canonicalLetters = [...'pqruvwyzcdeghijklmot']

/**
 * Code as the judge model reads it: the function is `f`, every own name is `p`, `q`, `r` and so on, parameters and
 * built-ins keep theirs.
 *
 * Whatever says something to a reader but not to Python is taken out, since the judge is asked how likely the problem's
 * text is: comments, strings longer than a character (docstrings too), unknown method names, blank lines.
 *
 * @returns null where the code is not valid Python.
 */
export async function canonicalCode(
  code: string,
  problem: Pick<Problem, 'name' | 'parameters'>,
): Promise<string | null> {
  const tree = await parsePython(code)
  if (!tree) return null
  await turns.give()
  const bound = boundNames(tree)
  await turns.give()
  const leaves = leavesOf(tree)
  await turns.give()
  const rename = renamer(problem, bound)
  let written = ''
  let at = 0
  for (const leaf of leaves) {
    written += code.slice(at, leaf.from) + rename(leaf)
    at = leaf.to
  }
  written += code.slice(at)
  const lines = written.split('\n').map(line => line.trimEnd())
  return `${lines.filter(line => line !== '').join('\n')}\n`
}

const strings: ReadonlySet<string> = new Set(['String', 'FormatString', 'ContinuedString'])

/** Leaves, with each string as one piece, whatever stands inside it. */
function leavesOf(node: PythonNode, found: PythonNode[] = []): PythonNode[] {
  if (strings.has(node.type) || node.children.length === 0) found.push(node)
  else for (const child of node.children) leavesOf(child, found)
  return found
}

function renamer(problem: Pick<Problem, 'name' | 'parameters'>, bound: ReadonlySet<string>) {
  const names = new Map<string, string>([...problem.parameters.map(p => [p, p] as const), [problem.name, 'f']])
  const taken = new Set(problem.parameters)
  let used = 0
  const fresh = (): string => {
    for (;;) {
      const name = canonicalLetters[used] ?? `v${used - canonicalLetters.length + 1}`
      used++
      if (!taken.has(name)) return name
    }
  }
  const own = (name: string): string => {
    const known = names.get(name) ?? fresh()
    names.set(name, known)
    return known
  }
  return (leaf: PythonNode): string => {
    if (leaf.type === 'Comment') return ''
    if (strings.has(leaf.type))
      return /^(?:'[^'\\]?'|"[^"\\]?")$/.test(leaf.text) ? leaf.text.replaceAll('"', "'") : "'?'"
    if (leaf.type === 'PropertyName') return keptMethods.has(leaf.text) ? leaf.text : own(leaf.text)
    if (leaf.type !== 'VariableName') return leaf.text
    return keptNames.has(leaf.text) && !bound.has(leaf.text) ? leaf.text : own(leaf.text)
  }
}

/** Names that the code binds itself, so that they are not the built-ins that they look like. */
function boundNames(node: PythonNode, isBinding = false, found = new Set<string>()): Set<string> {
  if (isBinding && node.type === 'VariableName') found.add(node.text)
  const binding = isBinding ? none : new Set(bindingChildren(node))
  for (const child of node.children) boundNames(child, isBinding || binding.has(child), found)
  return found
}

const none: ReadonlySet<PythonNode> = new Set()

/** Children of a node in which every name is one that it binds. */
function bindingChildren({ type, children }: PythonNode): readonly PythonNode[] {
  const position = (of: string) => children.findIndex(child => child.type === of)
  if (type === 'ParamList')
    return children.filter((child, at) => child.type === 'VariableName' && children[at - 1]?.type !== 'AssignOp')
  if (type === 'AssignStatement') {
    const last = children.findLastIndex(child => child.type === 'AssignOp')
    return children.slice(0, last)
  }
  if (type === 'UpdateStatement' || type === 'NamedExpression') return children.slice(0, 1)
  if (type === 'ForStatement' || type.endsWith('ComprehensionExpression'))
    return children.slice(position('for') + 1, position('in'))
  return type === 'ImportStatement' || type === 'FunctionDefinition'
    ? children.filter(child => child.type === 'VariableName')
    : []
}
