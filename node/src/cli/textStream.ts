/** A character of UTF-8 has four bytes at most, and a token one at least: what is no text by then never is. */
const MAX_PENDING_TOKENS = 4

/** Text of tokens as they come: a character whose bytes are spread over several waits for the last of them. */
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

  /** @returns what is left, bytes that are no text as U+FFFD. */
  end(): string {
    return this.#decode(this.#pending.splice(0))
  }
}

/** Text as a terminal may have it: a model's control characters would be the terminal's commands. */
export function printable(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}/gu, '\ufffd')
}
