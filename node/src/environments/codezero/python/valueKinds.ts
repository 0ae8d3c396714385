import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import { bindingChildren, boundNames } from './boundNames.ts'
import type { PythonNode } from './pythonNode.ts'

/**
 * A value's type, as far as the text of code tells it.
 *
 * - `collection`: a collection of a built-in type.
 * - `builtIn`: a string, or either of them.
 * - `number`: a number.
 * - `given`: a parameter, an element, or any other value whose type depends on what the function is called with.
 * - `foreign`: an imported name, a function, the result of a function whose type is unknown, or a part of one of them. It may have any methods.
 */
type ValueKind = 'collection' | 'builtIn' | 'number' | 'given' | 'foreign'

/** Where a name has its value from: an expression, a part of one, or a kind. */
type Source = { readonly value: PythonNode; readonly isPart: boolean } | ValueKind

const strings: ReadonlySet<string> = new Set(['String', 'FormatString', 'ContinuedString'])
const collections: ReadonlySet<string> = new Set(
  (
    'ArrayExpression SetExpression DictionaryExpression TupleExpression ' +
    'ArrayComprehensionExpression SetComprehensionExpression DictionaryComprehensionExpression'
  ).split(' '),
)

const results: ReadonlyMap<string, ValueKind> = new Map([
  ['str', 'builtIn'],
  ...['list', 'set', 'dict', 'tuple', 'sorted'].map(name => [name, 'collection'] as const),
  ...['len', 'sum', 'abs', 'int', 'float', 'ord', 'round'].map(name => [name, 'number'] as const),
])

/** A name may have the value of another name, and so on, in loops too: if the kinds change in each of so many passes, no name's is known. */
const MAX_PASSES = 16

/** A function that tells the kind of an expression of the code. Scopes are not told apart: a name has the least certain kind of all its values. */
export async function valueKinds(script: PythonNode): Promise<(value: PythonNode) => ValueKind> {
  const bound = boundNames(script)
  const sources = sourcesByName(script)
  const known = new Map<string, ValueKind | undefined>()
  const kindOf = (value: PythonNode) => kindIn(value, bound, known)
  // Names may share a value, as in `a = b = x`: it is read once a pass.
  const seen = new Map<PythonNode, ValueKind | undefined>()
  const kindOnce = (value: PythonNode) => {
    if (!seen.has(value)) seen.set(value, kindOf(value))
    return seen.get(value)
  }
  const ofSource = (source: Source) => {
    if (typeof source === 'string') return source
    const kind = kindOnce(source.value)
    return source.isPart ? partOf(kind) : kind
  }
  for (let pass = 0, isChanged = true; isChanged; pass++) {
    await yieldToEventLoop()
    isChanged = false
    seen.clear()
    for (const [name, of] of sources) {
      const kind = pass === MAX_PASSES ? 'foreign' : leastCertain(of.map(ofSource))
      isChanged ||= kind !== known.get(name) && pass < MAX_PASSES
      known.set(name, kind)
    }
  }
  return value => kindOf(value) ?? 'given'
}

type Known = ReadonlyMap<string, ValueKind | undefined>

/** Undefined as long as it only depends on names whose kinds are not known yet. */
function kindIn({ type, text, children }: PythonNode, bound: ReadonlySet<string>, known: Known): ValueKind | undefined {
  const of = (node: PythonNode) => kindIn(node, bound, known)
  const [first, second, third] = children
  if (strings.has(type)) return 'builtIn'
  if (collections.has(type)) return 'collection'
  if (type === 'Number' || type === 'Boolean') return 'number'
  if (type === 'VariableName') return bound.has(text) ? known.get(text) : 'foreign'
  if ((type === 'ParenthesizedExpression' || type === 'UnaryExpression') && second) return of(second)
  if (type === 'BinaryExpression' && first && third)
    return second?.type === 'ArithOp' ? combined(of(first), of(third)) : partOf(leastCertain([of(first), of(third)]))
  if (type === 'ConditionalExpression' && first) return leastCertain([of(first), of(children.at(-1) ?? first)])
  if (type === 'MemberExpression' && first) return partOf(of(first))
  const called = type === 'CallExpression' && first && !bound.has(first.text) ? first.text : ''
  return results.get(called) ?? 'foreign'
}

const partOf = (kind: ValueKind | undefined) => (kind === undefined || kind === 'foreign' ? kind : 'given')

function leastCertain(kinds: readonly (ValueKind | undefined)[]): ValueKind | undefined {
  const known = kinds.filter(kind => kind !== undefined)
  if (known.includes('foreign')) return 'foreign'
  if (known.every(kind => kind === known[0])) return known[0]
  return known.every(kind => kind === 'collection' || kind === 'builtIn') ? 'builtIn' : 'given'
}

/** `n * '-'` is a string, and `[0] * n` a list. */
function combined(left: ValueKind | undefined, right: ValueKind | undefined): ValueKind | undefined {
  if (left === 'foreign' || right === 'foreign') return 'foreign'
  for (const kind of ['builtIn', 'collection'] as const) if (left === kind || right === kind) return kind
  return left && right && leastCertain([left, right])
}

function sourcesByName(node: PythonNode, found = new Map<string, Source[]>()): ReadonlyMap<string, readonly Source[]> {
  for (const [name, source] of sourcesIn(node)) {
    const others = found.get(name)
    if (others) others.push(source)
    else found.set(name, [source])
  }
  for (const child of node.children) sourcesByName(child, found)
  return found
}

const foreign: ReadonlySet<string> = new Set(['ImportStatement', 'FunctionDefinition', 'TypeDefinition', 'TypeParam'])

function sourcesIn(node: PythonNode): (readonly [name: string, source: Source])[] {
  if (node.type === 'AssignStatement') return assignedIn(node.children)
  const [target, , value] = node.type === 'NamedExpression' ? node.children : []
  if (target && value) return [[target.text, { value, isPart: false }]]
  // An update keeps the kind of what it updates.
  const names = node.type === 'UpdateStatement' ? [] : namesIn(bindingChildren(node))
  return names.map(name => [name, foreign.has(node.type) ? 'foreign' : 'given'])
}

/** Targets get the values at their places if there are as many, and otherwise a part of the value. */
function assignedIn(children: readonly PythonNode[]): (readonly [name: string, source: Source])[] {
  const sides: PythonNode[][] = [[]]
  for (const child of children) {
    if (child.type === 'AssignOp') sides.push([])
    else if (child.type !== ',' && child.type !== 'TypeDef') sides.at(-1)?.push(child)
  }
  const values = sides.pop() ?? []
  const sourceAt = (at: number, isPart: boolean): Source => {
    const value = values[at]
    return value ? { value, isPart } : 'given'
  }
  return sides.flatMap(targets =>
    targets.flatMap((target, at) => {
      const isWhole = target.type === 'VariableName' && targets.length === values.length
      return namesIn([target]).map(name => [name, sourceAt(isWhole ? at : 0, !isWhole)] as const)
    }),
  )
}

/** Names that targets give a value; `xs[0] = y` gives none. */
function namesIn(targets: readonly PythonNode[]): string[] {
  return targets.flatMap(({ type, text, children }) => {
    if (type === 'VariableName') return [text]
    return type === 'MemberExpression' ? [] : namesIn(children)
  })
}
