import { ModelInputError } from '../modelErrors.ts'
import { mergeBytePairs } from './bytePairs.ts'
import { preTokenize } from './preTokenize.ts'
import { readTokenizerJson, writeTokenizerJson } from './tokenizerJson.ts'
import { lookupTables, type Vocabulary } from './vocabulary.ts'

/** Pieces remembered before the memory starts again; words of a corpus are fewer. */
const CACHED_PIECES = 1 << 16

/** Longer pieces are not remembered: they rarely occur twice, and hostile texts consist of them. */
const CACHED_PIECE_CHARS = 64

/**
 * Byte-level byte-pair tokenizer, in which every digit stands alone.
 *
 * Text never turns into a special token: `encode('<eos>')` gives the bytes of those five characters, so a peer's text cannot end a prompt or
 * start a role. `special('<eos>')` gives the special token.
 */
export class Tokenizer {
  readonly vocabulary: Vocabulary
  readonly #tables: ReturnType<typeof lookupTables>
  readonly #cache = new Map<string, Int32Array>()
  #out = new Int32Array(1024)

  constructor(vocabulary: Vocabulary) {
    this.vocabulary = vocabulary
    this.#tables = lookupTables(vocabulary)
  }

  /**
   * Reads a Hugging Face `tokenizer.json` of this kind.
   *
   * @throws {ModelFileError} if the file is missing, malformed, or of a kind that would be encoded otherwise.
   */
  static async read(path: string): Promise<Tokenizer> {
    return new Tokenizer(await readTokenizerJson(path))
  }

  /** Writes a `tokenizer.json` that Hugging Face's libraries load, in one step (never half a file). */
  async write(path: string): Promise<void> {
    await writeTokenizerJson(path, this.vocabulary)
  }

  get vocabSize(): number {
    return this.vocabulary.tokens.length
  }

  /** @throws {ModelInputError} if there is no such special token. */
  special(name: string): number {
    const id = this.vocabulary.specials.get(name)
    if (id === undefined)
      throw new ModelInputError(`the tokenizer has no special token ${name}`, {
        hint: `It has ${[...this.vocabulary.specials.keys()].join(' ')}.`,
      })
    return id
  }

  /** Token ids of a text. Lone surrogates become U+FFFD, as in every UTF-8 encoder, and so do characters that Unicode 16.0 does not assign. */
  encode(text: string): Int32Array {
    let length = 0
    for (const piece of preTokenize(text)) {
      const ids = this.#encodePiece(piece)
      length = this.#append(ids, length)
    }
    return this.#out.slice(0, length)
  }

  /**
   * Text of token ids. Special tokens are left out unless `special` is 'keep'; bytes that are not UTF-8 become U+FFFD.
   *
   * @throws {ModelInputError} if an id is not in the vocabulary.
   */
  decode(ids: ArrayLike<number>, special: 'drop' | 'keep' = 'drop'): string {
    const parts: Uint8Array[] = []
    for (let i = 0; i < ids.length; i++) {
      const token = this.vocabulary.tokens[ids[i] as number]
      if (token === undefined)
        throw new ModelInputError(`token ${ids[i]} is outside the vocabulary of ${this.vocabSize}`, {
          hint: 'Use the tokenizer that belongs to the model.',
        })
      if (special === 'keep' || !this.#tables.isSpecial[ids[i] as number]) parts.push(token)
    }
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(parts))
  }

  #append(ids: Int32Array, at: number): number {
    const end = at + ids.length
    if (end > this.#out.length) {
      const grown = new Int32Array(Math.max(end, 2 * this.#out.length))
      grown.set(this.#out)
      this.#out = grown
    }
    if (ids.length === 1) this.#out[at] = ids[0] as number
    else this.#out.set(ids, at)
    return end
  }

  #encodePiece(piece: string): Int32Array {
    const known = this.#cache.get(piece)
    if (known !== undefined) return known
    const ids = Int32Array.from(Buffer.from(piece, 'utf8'), byte => this.#tables.idOfByte[byte] as number)
    const merged = ids.slice(0, mergeBytePairs(ids, this.#tables.merges))
    if (piece.length <= CACHED_PIECE_CHARS) {
      if (this.#cache.size >= CACHED_PIECES) this.#cache.clear()
      this.#cache.set(piece, merged)
    }
    return merged
  }
}
