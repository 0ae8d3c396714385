/** Kind of an answer, which determines how it is parsed. */
export const answerKinds = ['integer', 'integers', 'truth', 'names', 'weekday', 'digits', 'date'] as const
export type AnswerKind = (typeof answerKinds)[number]

export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const

/** The wording that asks for an answer of each kind. */
export const answerForms: Record<AnswerKind, string> = {
  integer: 'Answer with one integer.',
  integers: 'Answer with integers, separated by commas.',
  truth: 'Answer with true or false.',
  names: 'Answer with names, separated by commas, or with nobody.',
  weekday: 'Answer with a day of the week.',
  digits: 'Answer with the digits alone.',
  date: 'Answer with a date as YYYY-MM-DD.',
}

/** Longer answers are not read. */
const MAX_ANSWER_CHARACTERS = 200

const integer = (text: string) => (/^[+-]?[0-9]{1,40}$/.test(text) ? String(BigInt(text)) : null)
const oneOf = (words: readonly string[]) => (text: string) => {
  const word = text.toLowerCase()
  return words.includes(word) ? word : null
}

function listOf(read: (text: string) => string | null) {
  return (text: string): string[] | null => {
    const items = text.split(',').map(item => read(item.trim()))
    return items.every(item => item !== null) ? items : null
  }
}

const name = (text: string) => (/^[A-Za-z]{1,20}$/.test(text) ? text.toLowerCase() : null)

/** Reads an answer of each kind to the canonical spelling that all right answers share; null if it is not one. */
const readers: Record<AnswerKind, (text: string) => string | null> = {
  integer,
  integers: text => listOf(integer)(text)?.join(', ') ?? null,
  truth: oneOf(['true', 'false']),
  names: text => {
    const names = listOf(name)(text)
    return names === null || new Set(names).size < names.length ? null : names.sort().join(', ')
  },
  weekday: oneOf(weekdays),
  digits: text => (/^[0-9a-zA-Z]{1,60}$/.test(text) ? text.toLowerCase().replace(/^0+(?=.)/, '') : null),
  date: text => (/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) ? text : null),
}

/**
 * The canonical spelling of an answer; null if the text is not an answer of that kind. It must be ASCII and hold nothing but the answer: a text
 * that argues with its reader gives null.
 */
export function readAnswer(kind: AnswerKind, text: string): string | null {
  const trimmed = text.trim()
  return trimmed.length <= MAX_ANSWER_CHARACTERS ? readers[kind](trimmed) : null
}
