/** Words that address a judge; one is enough. */
const judging = new Set(
  (
    'answer answers correct correctly incorrect flawless verified judge judges judging judgement judgment verdict grader ' +
    'evaluator reviewer assistant instruction instructions ignore disregard prompt solution solutions system approved'
  ).split(' '),
)

/** Words that also occur in values; they count only together with others. */
const answering = new Set(
  'true false yes no right wrong ok okay valid accurate perfect good score grade pass passes passed test tests code function task output say reply respond user human please must'.split(
    ' ',
  ),
)

/** Marks of chat templates, fences and roles. */
const markup =
  /<\||\|>|<\/?s>|\[\/?INST|<<\/?SYS|_of_turn>|<\/?think|`{3}|\b(?:system|user|assistant|human|judge)\s*:|^\s*#{2,}/i

const MAX_TEXT_CHARACTERS = 100
const MAX_NAME_CHARACTERS = 32
/** More words than this count as a sentence. */
const MAX_WORDS = 3
/** Shorter hidden words occur inside harmless words. */
const MIN_HIDDEN_CHARACTERS = 6

/**
 * Letters of strings. Beyond ASCII these are fixed blocks of scripts, marks included, and `looksPlain` is a fixed set: what `\p{L}` and `normalize` find
 * depends on the version of Unicode that a peer's Node.js has, and a judge is shown the same by all.
 */
const letters = String.raw`A-Za-z\u{aa}\u{b5}\u{ba}\u{c0}-\u{d6}\u{d8}-\u{f6}\u{f8}-\u{1fff}\u{2c00}-\u{2dff}\u{3004}-\u{d7ff}\u{f900}-\u{fdff}\u{fe70}-\u{1cfff}\u{20000}-\u{3ffff}`
const severalLetters = new RegExp(`[${letters}]{2,}`, 'gu')
const aLetter = new RegExp(`[${letters}]`, 'u')

export const hasLetter = (text: string): boolean => aLetter.test(text)

/** Blocks of characters that look like others, as wide and mathematical letters do: all of them were assigned before Unicode 6. */
const looksPlain =
  /[\u{a0}-\u{24f}\u{2b0}-\u{2ff}\u{1d00}-\u{1dbf}\u{2000}-\u{2064}\u{2070}\u{2071}\u{2074}-\u{208e}\u{2090}-\u{209c}\u{2100}-\u{2188}\u{2460}-\u{24ff}\u{3000}-\u{303f}\u{fb00}-\u{fb06}\u{ff01}-\u{ff5e}\u{1d400}-\u{1d7ff}\u{1f110}-\u{1f149}]/gu

/** A text with plain characters for those that look like them. */
const plainText = (text: string) => text.replace(looksPlain, character => character.normalize('NFKC'))

/** Whether a string's text addresses a reader, instead of being a value. */
export function textSpeaks(text: string): boolean {
  const plain = plainText(text)
  return plain.length > MAX_TEXT_CHARACTERS || markup.test(plain) || wordsSpeak(plain)
}

/** Whether an identifier addresses a reader, instead of naming a thing. */
export function nameSpeaks(name: string): boolean {
  return name.length > MAX_NAME_CHARACTERS || /[^\x20-\x7e]/.test(name) || wordsSpeak(name)
}

function wordsSpeak(text: string): boolean {
  const words = wordsOf(text)
  if (words.length > MAX_WORDS || words.some(word => judging.has(word))) return true
  if (words.length > 1 && words.some(word => answering.has(word))) return true
  if (words.some(word => word.length > 2 && /[^a-z]/.test(word))) return true
  return hides(text)
}

/** Words that sentences are made of, and lists of values hardly ever. */
const joining = new Set(
  'this that these those it its is are was were be been am the and or not of to in on for by as so all every any do does did has have what which you your we our can will should'.split(
    ' ',
  ),
)

/** Strings of few words count together as a sentence from this many words on. */
const MIN_SENTENCE_WORDS = 4
/** Strings of several words count as a text from this many words on. */
const MAX_PHRASE_WORDS = 6
/** Shorter pieces spell a word letter by letter. */
const MAX_PIECE_CHARACTERS = 3
const MIN_SPELT_CHARACTERS = 4
const spelt = [...judging, ...answering].filter(word => word.length >= MIN_SPELT_CHARACTERS)

/** Whether strings form a text together that none forms alone: a sentence word by word, or a word letter by letter. */
export function textsSpeak(texts: readonly string[]): boolean {
  const plain = texts.map(text => plainText(text))
  const words = plain.flatMap(wordsOf)
  const phrases = plain.map(wordsOf).filter(of => of.length > 1)
  if (phrases.flat().length > MAX_PHRASE_WORDS) return true
  const joiningWords = words.filter(word => joining.has(word)).length
  const answeringWords = words.filter(word => answering.has(word)).length
  if (words.length >= MIN_SENTENCE_WORDS && (joiningWords > 1 || joiningWords + answeringWords > 2)) return true
  const pieces = plain.filter(text => text.length <= MAX_PIECE_CHARACTERS).map(lettersOf)
  return hides(plain.join('')) || spelt.some(word => pieces.join('').includes(word))
}

/** Fewer different joining words in names are not a sentence. */
const MIN_JOINING_WORDS = 4

/**
 * Names of several words, if they form a text together that none forms alone: more than half of their words join others. Names of things have one
 * such word in two at most, as `is_prime` and `count_by_letter` have. A text of other words, or of one word a name, is not found: it cannot be
 * told from a list of names.
 */
export function sentenceOf(names: readonly string[]): readonly string[] {
  const several = names.filter(name => wordsOf(name).length > 1)
  const words = several.flatMap(wordsOf)
  const found = new Set(words.filter(word => joining.has(word)))
  return found.size >= MIN_JOINING_WORDS && found.size * 2 > words.length ? several : []
}

/** Words of 2 letters or more, parts of snake_case and camelCase too, in lower case. */
function wordsOf(text: string): string[] {
  const parts = text.replace(/([a-z])([A-Z])/g, '$1 $2').match(severalLetters) ?? []
  return parts.map(part => part.toLowerCase())
}

const lookAlikes: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
}
const hidden = [...judging].filter(word => word.length >= MIN_HIDDEN_CHARACTERS)

/** Whether a judging word is spelled with gaps, or with digits for letters. */
function hides(text: string): boolean {
  const joined = lettersOf(text)
  return hidden.some(word => joined.includes(word))
}

const lettersOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[013457@$]/g, sign => lookAlikes[sign] as string)
    .replace(/[^a-z]/g, '')
