import { keccak_256 } from '@noble/hashes/sha3.js'
import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import type { Problem } from '../curriculum/task.ts'
import { hasName } from './boundNames.ts'
import { isIdleStatement } from './isIdle.ts'
import { libraryNames, namesIn } from './libraryNames.ts'
import { parsePython } from './parsePython.ts'
import { type PythonNode, withComments } from './pythonNode.ts'
import { readsParameters } from './readsParameters.ts'
import { hasLetter, nameSpeaks, sentenceOf, textSpeaks, textsSpeak } from './speech.ts'
import { withoutBrackets } from './withoutBrackets.ts'

/**
 * Code as shown to a judging chat model: unchanged, except for text that addresses a reader instead of Python.
 *
 * Comments are removed, and statements of literals alone, such as docstrings, become `pass`. A string or a name that addresses a reader (a
 * sentence, chat markup, a word to the judge) becomes a number derived from its text: it has no meaning, and different values stay different. If
 * strings form a text only together, all of them are replaced, and if names of several words do, all of these (`sentenceOf`). Texts of the problem
 * itself and names of Python's library stay unchanged.
 *
 * @returns null if the code is not valid Python, or its function reads none of its parameters: no task asks for a constant.
 */
export async function shownCode(code: string, problem: Problem): Promise<string | null> {
  const tree = await parsePython(code)
  if (!tree || !readsParameters(tree, problem)) return null
  await yieldToEventLoop()
  const names = new Set([problem.name, ...problem.parameters, ...libraryNames(tree)])
  const given = {
    problem,
    names,
    sentence: sentenceIn(tree, names, problem),
    handlers: new Set(errorHandlers(tree)),
    saysMore: false,
  }
  const texts = textsIn(tree, code).filter(text => !speaks(text, given) && !isQuoted(text, problem))
  const shown = write(tree, code, { ...given, saysMore: textsSpeak(texts) })
  return shown.endsWith('\n') ? shown : `${shown}\n`
}

type Given = {
  readonly problem: Problem
  readonly names: ReadonlySet<string>
  /** Names that form a text together that none forms alone. */
  readonly sentence: ReadonlySet<string>
  /** Places of strings that name what `encode` and `decode` do with an error. */
  readonly handlers: ReadonlySet<number>
  /** Whether strings form a text together that none forms alone. */
  readonly saysMore: boolean
}

const strings: ReadonlySet<string> = new Set(['String', 'FormatString', 'ContinuedString'])

function write(node: PythonNode, code: string, given: Given): string {
  if (node.type === 'VariableName' || node.type === 'PropertyName') return shownName(node.text, given)
  if (isIdleStatement(node) && !hasName(node)) return 'pass'
  if (given.handlers.has(node.from) && strings.has(node.type)) return node.text
  if (strings.has(node.type) && speaks(textOf(node, code), given)) return silenced(node, code, given)
  if (isFreeSpec(node, code) && speaks(decoded(ownText(node, code)), given)) return silencedSpec(node, code, given)
  if (node.children.length === 0) return node.text
  let written = ''
  let at = node.from
  for (const child of withComments(node)) {
    written += code.slice(at, child.from)
    at = child.to
    if (child.type !== 'Comment') {
      written += write(child, code, given)
      continue
    }
    written = withoutEndSpaces(written)
    // A line that held nothing else goes too.
    if ((written === '' || written.endsWith('\n')) && code[at] === '\n') at++
  }
  return written + code.slice(at, node.to)
}

/** Not by a regular expression: its time would grow with the square of the spaces. */
function withoutEndSpaces(text: string): string {
  let end = text.length
  while (text[end - 1] === ' ' || text[end - 1] === '\t') end--
  return text.slice(0, end)
}

const shownName = (name: string, { names, sentence }: Given) =>
  sentence.has(name) || (!names.has(name) && nameSpeaks(name)) ? `name${mark(name)}` : name

function sentenceIn(tree: PythonNode, names: ReadonlySet<string>, { text }: Problem): ReadonlySet<string> {
  const own = new Set(namesIn(tree).filter(name => !names.has(name) && !text.includes(name)))
  return new Set(sentenceOf([...own].filter(name => !nameSpeaks(name))))
}

function speaks(text: string, { problem, saysMore }: Given): boolean {
  if (saysMore && hasLetter(text) && !isQuoted(text, problem)) return true
  return !problem.text.includes(text) && textSpeaks(text)
}

const isQuoted = (text: string, problem: Problem) =>
  ["'", '"', '`'].some(quote => problem.text.includes(`${quote}${text}${quote}`))

/** Places of the string `'ignore'` as an argument of `encode` or `decode`: alone it addresses nobody. */
function errorHandlers({ type, children }: PythonNode): number[] {
  const [called, args] = type === 'CallExpression' ? children : []
  const isCoding = ['encode', 'decode'].includes(called?.children.at(-1)?.text ?? '')
  const handlers = isCoding ? (args?.children ?? []).filter(({ text }) => /^(['"])ignore\1$/.test(text)) : []
  return [...handlers.map(({ from }) => from), ...children.flatMap(errorHandlers)]
}

/** The text of each string in a piece of code, in order; strings that an f-string inserts follow its text, also those that are a part of it. */
function textsIn(node: PythonNode, code: string): string[] {
  if (strings.has(node.type))
    return [textOf(node, code), ...replacementsIn(node).flatMap(child => textsIn(child, code))]
  const own = isFreeSpec(node, code) ? [decoded(ownText(node, code))] : []
  return [...own, ...node.children.flatMap(child => textsIn(child, code))]
}

/** Whether a node is a format specification that does more than say how a value is written, as `:>{width}.2f` does. */
function isFreeSpec(node: PythonNode, code: string): boolean {
  if (node.type !== 'FormatSpec') return false
  const spec = ownText(node, code, inserted => (constantIn(inserted) ? constantText(inserted, code) : '0'))
  return !/^:(.?[<>=^])?[-+ ]?z?#?0?\d*[_,]?(\.\d+)?[a-zA-Z%]?$/.test(decoded(spec))
}

/** Six digits that distinguish texts and have no meaning. */
function mark(text: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = keccak_256(new TextEncoder().encode(text))
  return String(((a << 24) | (b << 16) | (c << 8) | d) >>> 0)
    .padStart(6, '0')
    .slice(-6)
}

/** A string whose text is a mark; what an f-string runs stays. */
function silenced(node: PythonNode, code: string, given: Given): string {
  const marked = `text${mark(writtenAs(node, code))}`
  const inserted = insertedIn(node, code, given)
  return inserted === '' ? `'${marked}'` : `f'${marked}${inserted}'`
}

/** A format specification is free text too: CPython reads it only when the string is made. */
const silencedSpec = (node: PythonNode, code: string, given: Given) =>
  `:text${mark(ownText(node, code, asWritten))}${insertedIn(node, code, given)}`

/** Insertions of a silenced string, without the text of constant strings. Their format specifications stay: they may fail, and insert calls. */
function insertedIn(node: PythonNode, code: string, given: Given): string {
  const written = replacementsIn(node).map(inserted => {
    const constant = constantIn(inserted)
    if (!constant) return write(inserted, code, given)
    const spec = inserted.children.find(({ type }) => type === 'FormatSpec')
    return insertedIn(constant, code, given) + (spec ? `{''${write(spec, code, given)}}` : '')
  })
  return written.join('')
}

function replacementsIn(node: PythonNode): PythonNode[] {
  return node.type === 'FormatReplacement' ? [node] : node.children.flatMap(replacementsIn)
}

/** Results of `constantIn`: each level of nested f-strings asks for all levels within. */
const constants = new WeakMap<PythonNode, PythonNode | null>()

/** The string that `{'a'}` inserts, written in any way; null if that depends on an expression. */
function constantIn(inserted: PythonNode): PythonNode | null {
  const known = constants.get(inserted)
  if (known !== undefined) return known
  const [, value, next] = inserted.children
  const bare = value && next?.type !== ',' ? withoutBrackets(value) : null
  const found = bare && strings.has(bare.type) && replacementsIn(bare).every(constantIn) ? bare : null
  constants.set(inserted, found)
  return found
}

/**
 * The text of a string: pieces joined, without quotes, prefixes and inserted expressions, with escapes decoded. Constant strings that it inserts are
 * part of it: `f"co{'rr'}ect"` is a word.
 */
function textOf(node: PythonNode, code: string): string {
  if (node.type === 'ContinuedString') return node.children.map(child => textOf(child, code)).join('')
  const [, , content = ''] = /^\w*('''|"""|'|")([\s\S]*)\1$/.exec(ownText(node, code)) ?? []
  return decoded(content)
}

const decoded = (text: string) =>
  text.replace(/\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|([0-7]{1,3})|N\{([^}]*)\}|([\s\S]))/gi, unescaped)

/** Placeholder of an inserted expression; no source contains it. */
const INSERTED = '\0'
const asWritten = (inserted: PythonNode) => (constantIn(inserted) ? inserted.text : INSERTED)

/** Identity of a string's value: its text with escapes as written, the places of inserted expressions, and relevant prefixes. */
function writtenAs(node: PythonNode, code: string): string {
  if (node.type === 'ContinuedString') return node.children.map(child => writtenAs(child, code)).join('')
  const [, prefix = '', , content = ''] = /^(\w*)('''|"""|'|")([\s\S]*)\2$/.exec(ownText(node, code, asWritten)) ?? []
  const matters: Readonly<Record<string, boolean>> = { b: true, r: content.includes('\\'), f: /[{}]/.test(content) }
  return [...[...prefix.toLowerCase()].filter(letter => matters[letter]), content].join(INSERTED)
}

/** A node's text with others for inserted expressions: without more, the texts of constant strings. */
function ownText(
  node: PythonNode,
  code: string,
  textFor = (inserted: PythonNode) => constantText(inserted, code),
): string {
  let text = ''
  let at = node.from
  for (const child of replacementsIn(node)) {
    text += code.slice(at, child.from) + textFor(child)
    at = child.to
  }
  return text + code.slice(at, node.to)
}

function constantText(inserted: PythonNode, code: string): string {
  const constant = constantIn(inserted)
  return constant ? textOf(constant, code) : ''
}

function unescaped(_: string, ...[x, u, wide, octal, name, plain]: (string | undefined)[]): string {
  const digits = x ?? u ?? wide ?? octal
  if (digits !== undefined) return String.fromCodePoint(Math.min(0x10ffff, Number.parseInt(digits, octal ? 8 : 16)))
  return name ?? (plain !== undefined && /[ntr]/.test(plain) ? ' ' : (plain ?? ''))
}
