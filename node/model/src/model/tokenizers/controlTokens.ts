/** A token that is added to a vocabulary besides its merges, as `tokenizer.json` lists it. */
export type AddedToken = {
  readonly id: number
  readonly content: string
  readonly special: boolean
  /** Takes the white space before it, or after it. */
  readonly lstrip: boolean
  readonly rstrip: boolean
}

/**
 * Inserted into a control token's name in a text, so that the text no longer contains the name. A lone surrogate: no well-formed text has one,
 * so removing it restores the text.
 */
const BREAK = '\udc00'

/** Control tokens of a vocabulary: finds them in a template's output, and prevents a text from writing them. */
export type ControlTokens = {
  /** The text with every control token's name broken up, also where names overlap, and at its ends every piece of a name that a neighbour could complete. */
  breakUp(text: string): string
  /** Rendered text as control tokens' ids and the plain texts between them, breaks taken out. */
  split(rendered: string): (number | string)[]
}

/**
 * @param tokens - those that no text may create: well-formed names of two characters or more. If several start at one place, the longest wins, as
 *   in Hugging Face's tokenizers.
 */
export function controlTokens(tokens: readonly AddedToken[]): ControlTokens {
  const byName = new Map(tokens.map(token => [token.content, token]))
  const names = [...byName.keys()].sort((a, b) => b.length - a.length)
  // An empty alternation would match everywhere.
  const anyName = names.length > 0 ? names.map(escaped).join('|') : '(?!)'
  const everyName = new RegExp(anyName, 'gu')
  const everyStart = new RegExp(`(?=${anyName})[^]`, 'gu')
  return {
    breakUp(given) {
      const text = given.toWellFormed()
      const breaks: number[] = []
      // Not `matchAll`: an object for each of a million places takes seconds.
      text.replace(everyStart, (character, at: number) => {
        breaks.push(at + character.length)
        return character
      })
      const tails = tailStarts(text, names).map(at => at + characterAt(text, at).length)
      return broken(text, breaks.concat(tails, headBreaks(text, names)))
    },
    split(rendered) {
      const parts: (number | string)[] = []
      let at = 0
      let strip = false
      const plain = (text: string, stripEnd: boolean) => {
        let kept = text.replaceAll(BREAK, '')
        if (strip) kept = kept.trimStart()
        if (stripEnd) kept = kept.trimEnd()
        if (kept !== '') parts.push(kept)
      }
      for (const match of rendered.matchAll(everyName)) {
        const token = byName.get(match[0]) as AddedToken
        plain(rendered.slice(at, match.index), token.lstrip)
        parts.push(token.id)
        at = match.index + match[0].length
        strip = token.rstrip
      }
      plain(rendered.slice(at), false)
      return parts
    },
  }
}

/** Where the text ends with the beginning of a name. */
function tailStarts(text: string, names: readonly string[]): number[] {
  return names.flatMap(name =>
    pieceLengths(name, text).flatMap(length => (text.endsWith(name.slice(0, length)) ? text.length - length : [])),
  )
}

/**
 * Where to break the text if it begins with the end of a name: after its first character, or before the only one. A name of white space is broken
 * after that one too: a template's `trim` removes the white space before a break. Only such a name can then be completed by a neighbour.
 */
function headBreaks(text: string, names: readonly string[]): number[] {
  const first = characterAt(text, 0).length
  return names.flatMap(name =>
    pieceLengths(name, text).flatMap(length =>
      text.startsWith(name.slice(-length)) ? (length > first || name.trim() === '' ? first : 0) : [],
    ),
  )
}

/** Lengths of the pieces of a name that a neighbour could complete. Half a character of a name is never at the end of a well-formed text. */
const pieceLengths = (name: string, text: string) =>
  Array.from({ length: Math.min(name.length - 1, text.length) }, (_, i) => i + 1)

function broken(text: string, breaks: readonly number[]): string {
  const sorted = Int32Array.from(breaks).sort()
  const parts: string[] = []
  let from = 0
  for (const [i, at] of sorted.entries()) {
    if (at === sorted[i - 1]) continue
    parts.push(text.slice(from, at))
    from = at
  }
  parts.push(text.slice(from))
  return parts.join(BREAK)
}

const characterAt = (text: string, at: number) => String.fromCodePoint(text.codePointAt(at) ?? 0)
const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
