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
  /** The text with every control token's name broken up, and at its ends every piece of a name that a neighbour could complete. */
  breakUp(text: string): string
  /** Rendered text as control tokens' ids and the plain texts between them, breaks taken out. */
  split(rendered: string): (number | string)[]
}

/**
 * @param tokens - those that no text may create. If several names start at one place, the longest wins, as in Hugging Face's
 *   tokenizers.
 */
export function controlTokens(tokens: readonly AddedToken[]): ControlTokens {
  const byName = new Map(tokens.map(token => [token.content, token]))
  const names = [...byName.keys()].sort((a, b) => b.length - a.length)
  // An empty alternation would match everywhere.
  const anyName = names.length > 0 ? new RegExp(names.map(escaped).join('|'), 'gu') : /(?!)/gu
  const afterFirst = (text: string) => {
    const first = String.fromCodePoint(text.codePointAt(0) as number)
    return first + BREAK + text.slice(first.length)
  }
  const breakEnds = (text: string) => {
    const tail = longest(text, names, (part, name) => text.endsWith(part) && name.startsWith(part))
    const whole = text.slice(0, text.length - tail.length) + (tail && afterFirst(tail))
    const head = longest(whole, names, (part, name) => whole.startsWith(part) && name.endsWith(part))
    return (head && afterFirst(head)) + whole.slice(head.length)
  }
  return {
    breakUp: text => breakEnds(text.toWellFormed().replace(anyName, afterFirst)),
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
      for (const match of rendered.matchAll(anyName)) {
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

/** The longest proper piece of a name that fits; '' for none. */
function longest(text: string, names: readonly string[], fits: (part: string, name: string) => boolean): string {
  let found = ''
  for (const name of names) {
    for (let length = Math.min(name.length - 1, text.length); length > found.length; length--) {
      const part = [name.slice(0, length), name.slice(-length)].find(piece => isWellFormed(piece) && fits(piece, name))
      if (part !== undefined) {
        found = part
        break
      }
    }
  }
  return found
}

const isWellFormed = (text: string) => text.isWellFormed()
const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
