import type { PythonNode } from './pythonNode.ts'

/**
 * Whether Python takes the characters of a source as the parser does. It refuses a zero and half of a surrogate pair, a form feed begins the
 * indentation again, and a carriage return ends a line within strings too. A backslash at the end, or before an empty line,
 * joins nothing.
 */
export const isPlainSource = (code: string): boolean =>
  code.isWellFormed() && !/[\0\f\r]|\\\s*$|\\\n[ \t]*\n/.test(code)

/**
 * Letters of names: Latin, Greek, Cyrillic and Chinese ones of the first Unicode version. Python compares names in NFKC, which changes none of
 * these, so that two spellings are two names. The parser takes any character beyond ASCII.
 */
const NAME =
  /^[A-Za-z\d_\u{c0}-\u{d6}\u{d8}-\u{f6}\u{f8}-\u{ff}\u{391}-\u{3a1}\u{3a3}-\u{3c9}\u{410}-\u{44f}\u{4e00}-\u{9fa5}]+$/u

/** Python reads at most 4,300 digits. */
const MAX_NUMBER_CHARACTERS = 4_300
const DIGITS = String.raw`\d(?:_?\d)*`
const EXPONENT = `(?:e[-+]?${DIGITS})`
/** Without the leading zeros of octal numbers in Python 2. */
const WHOLE = String.raw`0(?:_?0)*|[1-9](?:_?\d)*|0x(?:_?[\da-f])+|0o(?:_?[0-7])+|0b(?:_?[01])+`
const FRACTION = String.raw`(?:(?:${DIGITS})?\.${DIGITS}|${DIGITS}\.)${EXPONENT}?j?|${DIGITS}(?:${EXPONENT}j?|j)`
const NUMBER = new RegExp(`^(?:${WHOLE}|${FRACTION})$`, 'i')

/** A string without what it inserts, to its end: the parser also ends it with its line. */
const STRING = /^\w*(?:("""|''')(?:\\.|(?!\1)[^\\])*\1|(["'])(?:\\.|(?!\2)[^\\\n])*\2)$/s
const HEX = '[\\da-fA-F]'
/** Without `\N{…}`, whose names are those of a Unicode version. */
const TEXT_ESCAPE = new RegExp(`^\\\\(?:x${HEX}{2}|u${HEX}{4}|U00(?:0${HEX}|10)${HEX}{4}|[^xuUN])$`, 's')
const BYTES_ESCAPE = new RegExp(`^\\\\(?:x${HEX}{2}$|[^x])`, 's')
/** An escaped brace, which Python takes for the beginning of an insertion and runs, and the parser for text. */
const ESCAPED_BRACE = /(?<!\\)(?:\\\\)*\\\{/
/** The text of an f-string, whose braces come in twos. */
const PAIRED_BRACES = /^(?:[^{}]|\{\{|\}\})*$/

/** Whether Python accepts a name, a number or a string that the parser accepts. True for any other node. */
export const isToken = (node: PythonNode): boolean => tokens[node.type]?.(node) ?? true

/** `__debug__` cannot be bound, and nobody reads it. */
const isName = ({ text }: PythonNode) => NAME.test(text) && text !== '__debug__'

const tokens: Readonly<Record<string, (node: PythonNode) => boolean>> = {
  VariableName: isName,
  PropertyName: isName,
  Number: ({ text }) => text.length <= MAX_NUMBER_CHARACTERS && NUMBER.test(text),
  // In `1.real` the point belongs to the number.
  MemberExpression: ({ children: [value] }) => value?.type !== 'Number' || !/^[\d_]+$/.test(value.text),
  String: node => isString(node) && (!isBytes(node) || /^[\0-\x7f]*$/.test(node.text)),
  FormatString: node => isString(node) && PAIRED_BRACES.test(ownText(node)) && !ESCAPED_BRACE.test(ownText(node)),
  FormatReplacement: ({ text }) => text.endsWith('}'),
  ContinuedString: ({ children }) => children.every(child => isBytes(child) === isBytes(children[0] as PythonNode)),
}

const isBytes = ({ text }: PythonNode) => /^\w*b/i.test(text)

function isString(node: PythonNode): boolean {
  const form = isBytes(node) ? BYTES_ESCAPE : TEXT_ESCAPE
  return STRING.test(ownText(node)) && node.children.every(({ type, text }) => type !== 'Escape' || form.test(text))
}

/** The text of a string without what it inserts. */
function ownText({ text, from, children }: PythonNode): string {
  let own = ''
  let end = 0
  for (const inserted of children.filter(({ type }) => type === 'FormatReplacement')) {
    own += text.slice(end, inserted.from - from)
    end = inserted.to - from
  }
  return own + text.slice(end)
}

/** Nodes that begin a line of their own. */
const LINE = /(?:Statement|StatementGroup|Definition|Decorator|Clause)$|^(?:elif|else|except|finally)$/

/**
 * Whether Python and the parser find the same blocks: the first statement is not indented, none is after a backslash, and if one is indented by tabs,
 * none is by spaces. Python refuses some mixtures of both, and the parser none.
 */
export function isIndentedPlainly(root: PythonNode): boolean {
  const indents = new Map<number, string>()
  for (const { 0: indent, index } of root.text.matchAll(/^(?:[ \t]*\\\n)*[ \t]*/gm)) {
    const at = index + indent.length
    // A line after a backslash is found again by itself.
    indents.set(at, indents.get(at) ?? indent)
  }
  const first = root.children[0]
  if (first !== undefined && first.from > 0 && root.text[first.from - 1] !== '\n') return false
  const used = new Set(lineStarts(root).flatMap(at => [...(indents.get(at) ?? '')]))
  return !used.has('\\') && !(used.has(' ') && used.has('\t'))
}

const lineStarts = ({ type, from, children }: PythonNode): number[] => [
  ...(LINE.test(type) ? [from] : []),
  ...children.flatMap(lineStarts),
]
