import type { Interpreter } from '@huggingface/jinja'

type Evaluate = Interpreter['evaluate']
type Statement = Parameters<Evaluate>[0]
type Value = ReturnType<Evaluate>

/** A call such as `x.strip(y)`; the library does not export its type. */
type Call = {
  type: string
  callee?: { type: string; computed?: boolean; object: Statement; property: { value?: unknown } }
  args?: Statement[]
}

/** Ends of a text at which each of Python's methods removes characters. */
const ends = new Map<unknown, { start: boolean; end: boolean }>([
  ['strip', { start: true, end: true }],
  ['lstrip', { start: true, end: false }],
  ['rstrip', { start: false, end: true }],
])

/**
 * Python's `strip`, `lstrip` and `rstrip` of given characters: the library ignores them, and removes white space. Qwen3's template removes line feeds
 * so, and keeps the indentation.
 *
 * @returns undefined for everything else, which the library evaluates.
 */
export function evaluateStrip(
  interpreter: Interpreter,
  ...[statement, environment]: Parameters<Evaluate>
): Value | undefined {
  const { type, callee, args } = (statement ?? {}) as Call
  const [given] = args ?? []
  if (type !== 'CallExpression' || callee?.type !== 'MemberExpression' || callee.computed || !given) return
  const where = ends.get(callee.property.value)
  if (!where) return
  const [text, characters] = [callee.object, given].map(of => interpreter.evaluate(of, environment)) as [Value, Value]
  if (typeof text.value !== 'string' || typeof characters.value !== 'string') return
  const StringValue = text.constructor as new (value: string) => Value
  return new StringValue(stripped(text.value, new Set(characters.value), where))
}

function stripped(
  text: string,
  characters: ReadonlySet<string>,
  { start, end }: { start: boolean; end: boolean },
): string {
  const all = Array.from(text)
  const isKept = (character: string) => !characters.has(character)
  const first = start ? all.findIndex(isKept) : 0
  const last = end ? all.findLastIndex(isKept) : all.length - 1
  return first < 0 ? '' : all.slice(first, last + 1).join('')
}
