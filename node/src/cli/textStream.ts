/** A UTF-8 character has at most four bytes, and a token at least one: after four tokens, bytes that are not text never become text. */
const MAX_PENDING_TOKENS = 4

/** Decodes tokens as they arrive. A character whose bytes span several tokens waits for the last of them. */
export class TextStream {
  readonly #decode: (tokens: readonly number[]) => string
  readonly #pending: number[] = []

  constructor(decode: (tokens: readonly number[]) => string) {
    this.#decode = decode
  }

  /** @returns the text that is whole now. */
  push(token: number): string {
    this.#pending.push(token)
    const text = this.#decode(this.#pending)
    if (text.endsWith('\ufffd') && this.#pending.length < MAX_PENDING_TOKENS) return ''
    return this.end()
  }

  /** @returns the rest; invalid bytes become U+FFFD. */
  end(): string {
    return this.#decode(this.#pending.splice(0))
  }
}

/** Text that is safe for a terminal: control characters are replaced. */
export function printable(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}/gu, '\ufffd')
}

/** Invisible characters that emoji are joined with. */
const joiner = /(?<=\p{ExtPict})\ufe0f|(?<=\p{ExtPict}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{ExtPict})/u

/** Separators that some readers break lines at, and characters that show nothing: bidirectional marks are among them. */
const hidden = new RegExp(`[\\u2028\\u2029]|(?!${joiner.source})\\p{Default_Ignorable_Code_Point}`, 'gu')

/** A stranger's text that is safe for a terminal: control characters and invisible characters are replaced. */
export const strangersText = (text: string): string => printable(text).replace(hidden, '\ufffd')

/** A stranger's text in one line, which cannot look like lines of ours. */
export const strangersLine = (text: string): string => strangersText(text.replace(/\s+/g, ' ').trim())
