import type { Interpreter } from '@huggingface/jinja'

type Evaluate = Interpreter['evaluate']
type Statement = Parameters<Evaluate>[0]
type Value = ReturnType<Evaluate>

/** A call such as `x.strip(y)`, or a filter such as `x | trim`; the library does not export their types. */
type Node = {
  type: string
  callee?: { type: string; computed?: boolean; object: Statement; property: { value?: unknown } }
  args?: Statement[]
  operand?: Statement
  filter?: { value?: unknown }
}

type Ends = { start: boolean; end: boolean }

/** Ends of a text at which each of Python's methods removes characters. */
const ends = new Map<unknown, Ends>([
  ['strip', { start: true, end: true }],
  ['lstrip', { start: true, end: false }],
  ['rstrip', { start: false, end: true }],
])

/** Python's white space. JavaScript's has U+FEFF, and lacks U+001C to U+001F and U+0085. */
const WHITE_SPACE =
  '\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000'

/**
 * Python's `strip`, `lstrip` and `rstrip`, and Jinja's filter `trim`. The library ignores the characters that are given, and removes JavaScript's white
 * space. Qwen3's template removes line feeds so, and keeps the indentation.
 *
 * @returns undefined for everything else, which the library evaluates.
 * @throws {TypeError} if the characters are not a text, as Python.
 */
export function evaluateStrip(
  interpreter: Interpreter,
  ...[statement, environment]: Parameters<Evaluate>
): Value | undefined {
  const found = stripOf((statement ?? {}) as Node)
  if (!found) return
  const text = interpreter.evaluate(found.of, environment)
  if (typeof text.value !== 'string') return
  const characters: unknown = (found.given && interpreter.evaluate(found.given, environment).value) ?? WHITE_SPACE
  if (typeof characters !== 'string') throw new TypeError('characters to strip must be a text or none')
  const StringValue = text.constructor as new (value: string) => Value
  return new StringValue(stripped(text.value, new Set(characters), found.where))
}

/** The text, the ends and the characters that a node strips; without characters white space. */
function stripOf({ type, callee, args, operand, filter }: Node) {
  // With characters, the filter is a call, which the library refuses.
  if (type === 'FilterExpression' && operand && filter?.value === 'trim')
    return { of: operand, where: { start: true, end: true }, given: undefined }
  if (type !== 'CallExpression' || callee?.type !== 'MemberExpression' || callee.computed) return
  const where = ends.get(callee.property.value)
  return where && { of: callee.object, where, given: args?.[0] }
}

function stripped(text: string, characters: ReadonlySet<string>, { start, end }: Ends): string {
  const all = Array.from(text)
  const isKept = (character: string) => !characters.has(character)
  const first = start ? all.findIndex(isKept) : 0
  const last = end ? all.findLastIndex(isKept) : all.length - 1
  return first < 0 ? '' : all.slice(first, last + 1).join('')
}
