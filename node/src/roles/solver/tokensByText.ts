import type { ServedCompletion } from '#hub/chatServer/completionServer.ts'

/** What of a tokenizer finds the ids of tokens that a server names by their text. */
export type Retokenizer = {
  encode(text: string): Promise<Int32Array>
  decode(ids: Int32Array, special: 'keep'): Promise<string>
}

/** Why an answer, and so its group, is not learned from. */
export class RefusedAnswer extends Error {}

const OTHER_TOKENS = "the server's tokens are not those of its text"

/**
 * Ids of tokens that a server names by their text.
 *
 * @throws {RefusedAnswer} where the tokenizer here divides the text otherwise: what was sampled cannot be known then.
 */
export async function tokensByText(
  { pieces, ended }: Pick<ServedCompletion, 'pieces' | 'ended'>,
  stopTokens: readonly number[],
  open: () => Promise<Retokenizer>,
): Promise<Int32Array> {
  const tokenizer = await open()
  const textsOf = (ids: Iterable<number>) =>
    Promise.all([...ids].map(id => tokenizer.decode(Int32Array.of(id), 'keep')))
  try {
    // Text never becomes the token that ends an answer: it is found by its name.
    const stop = ended ? stopTokens[(await textsOf(stopTokens)).indexOf(pieces.at(-1) ?? '')] : undefined
    const body = stop === undefined ? pieces : pieces.slice(0, -1)
    const tokens = await tokenizer.encode(body.join(''))
    const isSame = tokens.length === body.length && (await textsOf(tokens)).every((text, at) => text === body[at])
    if (!isSame) throw new RefusedAnswer(OTHER_TOKENS)
    return Int32Array.from(stop === undefined ? tokens : [...tokens, stop])
  } catch (cause) {
    // A text may be such that a tokenizer fails on it.
    throw cause instanceof RefusedAnswer ? cause : new RefusedAnswer(OTHER_TOKENS, { cause })
  }
}
