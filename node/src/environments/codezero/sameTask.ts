import { parseTaskText } from './curriculum/parseTaskText.ts'
import { semanticKey } from './curriculum/semanticKey.ts'
import type { Problem } from './curriculum/task.ts'

/**
 * Characters of words, digits left out. Beyond ASCII, all but general punctuation: `\p{L}` and `toLowerCase` depend on the version of Unicode that a
 * peer's Node.js has, and keys have to be the same for all.
 */
const letter = String.raw`A-Za-z\u{a1}-\u{1fff}\u{2070}-\u{2fff}\u{3001}-\u{10ffff}`
const character = `${letter}0-9_`

/** A sign of a calculation, and a character between signs. They share none, so that no text is read more than once for a bracket. */
const sign = /(?:[+*/%<>=^&|~]|(?<=\s)-(?=\s))/u.source
const plain = /(?:[^()+*/%<>=^&|~-]|(?<!\s)-|-(?!\s))/u.source

/** Words, signs that change a meaning, brackets around a calculation, and what stands alone in quotes. A task has no other punctuation. */
const tokens = new RegExp(
  [
    `[${character}]+`,
    /!=|[+*/%<>=^&|~!]/u.source,
    /(?<=^|\s)-(?=\s|\d)/u.source,
    `\\((?=${plain}*${sign}[^()]*\\))`,
    `(?<=\\([^()]*${sign}${plain}*)\\)`,
    `(?<=['"\`])[^\\s${character}'"\`](?=['"\`])`,
  ].join('|'),
  'gu',
)

const plural = new RegExp(`(?<=[${letter}]{3})s$`, 'u')

/** Letters of ASCII in lower case. */
const lowered = (text: string) => text.replace(/[A-Z]/g, capital => capital.toLowerCase())

/** Stop words of task texts. */
const filler = new Set(
  'a an the of in to for and that is are be by with given return returns compute computes write'.split(' '),
)

/**
 * A key shared by problems that ask for the same: the function's values if the curriculum understands the text; otherwise its words in their
 * order, without stop words, plural endings and the function's name, and with the places of parameters instead of their names.
 */
export function sameTask({ name, parameters, text, broken }: Problem): string {
  const form = broken === undefined ? '' : 'repair '
  const meaning = parseTaskText(text)
  if (meaning) return form + semanticKey(meaning)
  const places = new Map(parameters.map((parameter, at) => [lowered(parameter), `p${at}`]))
  const words = lowered(text).match(tokens) ?? []
  const kept = words.filter(word => places.has(word) || (!filler.has(word) && word !== lowered(name)))
  const stems = kept.map(word => places.get(word) ?? word.replace(plural, ''))
  return `${form}${WORDS}${stems.join(' ')}`
}

/** Marks keys that are words. */
const WORDS = 'words: '

/** Share of common words above which two texts ask for nearly the same. */
const NEAR = 0.8

/**
 * The first key that is the same or, of texts that are known by their words alone, nearly the same: all numbers and nearly all words are
 * shared. The remaining words may differ in meaning, so this never refuses a task: a proposer only asks for something else.
 */
export function nearestTask(key: string, among: ReadonlyMap<string, unknown>): string | null {
  if (among.has(key)) return key
  const own = wordsIn(key)
  if (own === null) return null
  for (const other of among.keys()) if (isNear(own, other)) return other
  return null
}

type Worded = { readonly form: string; readonly words: ReadonlySet<string> }

/** The words of a key, after the form of the task; null if it has none. */
function wordsIn(key: string): Worded | null {
  const at = key.indexOf(WORDS)
  return at < 0 ? null : { form: key.slice(0, at + WORDS.length), words: new Set(wordsFrom(key, at + WORDS.length)) }
}

/** Reads no more words of the other key than it takes to tell them apart: thousands of keys are compared with each candidate. */
function isNear({ form, words }: Worded, other: string): boolean {
  if (!other.startsWith(form)) return false
  const [shared, more] = [new Set<string>(), new Set<string>()]
  const isEnough = (common: number) => common >= NEAR * (words.size + more.size)
  for (const word of wordsFrom(other, form.length)) {
    if (words.has(word)) shared.add(word)
    else if (hasDigit(word) || !isEnough(words.size)) return false
    else more.add(word)
  }
  return isEnough(shared.size) && ![...words].some(word => !shared.has(word) && hasDigit(word))
}

const hasDigit = (word: string) => /[0-9]/.test(word)

function* wordsFrom(key: string, from: number): Generator<string> {
  for (let at = from; at <= key.length; ) {
    const space = key.indexOf(' ', at)
    const end = space < 0 ? key.length : space
    yield key.slice(at, end)
    at = end + 1
  }
}
