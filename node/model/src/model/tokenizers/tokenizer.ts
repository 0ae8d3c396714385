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

  /** Token ids of a text. A lone surrogate becomes U+FFFD, as in every UTF-8 encoder. */
  encode(text: string): Int32Array {
    let length = 0
    for (const piece of preTokenize(text)) {
      const ids = this.#encodePiece(piece)
      length = this.#append(ids, length)
    }
    return this.#out.slice(0, length)
  }

  /** Token ids of any bytes: as `encode` where they are UTF-8, else each stray byte is its own token. */
  encodeBytes(bytes: Uint8Array): Int32Array {
    const parts = utf8Runs(bytes).map(run =>
      typeof run === 'string' ? this.encode(run) : Int32Array.of(this.#tables.idOfByte[run] as number),
    )
    const ids = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0))
    let at = 0
    for (const part of parts) {
      ids.set(part, at)
      at += part.length
    }
    return ids
  }

  /** Text of token ids. Special tokens are left out unless `special` is 'keep'; bytes that are not UTF-8 become U+FFFD. */
  decode(ids: ArrayLike<number>, special: 'drop' | 'keep' = 'drop'): string {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.decodeBytes(ids, special))
  }

  /** @throws {ModelInputError} if an id is not in the vocabulary. */
  decodeBytes(ids: ArrayLike<number>, special: 'drop' | 'keep' = 'drop'): Uint8Array {
    const parts: Uint8Array[] = []
    for (let i = 0; i < ids.length; i++) {
      const token = this.vocabulary.tokens[ids[i] as number]
      if (token === undefined)
        throw new ModelInputError(`token ${ids[i]} is outside the vocabulary of ${this.vocabSize}`, {
          hint: 'Use the tokenizer that belongs to the model.',
        })
      if (special === 'keep' || !this.#tables.isSpecial[ids[i] as number]) parts.push(token)
    }
    return Buffer.concat(parts)
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

/** Bytes as the texts of their valid UTF-8 stretches, and each byte between them as a number. */
function utf8Runs(bytes: Uint8Array): (string | number)[] {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const runs: (string | number)[] = []
  let start = 0
  let at = 0
  const flush = () => {
    if (at > start) runs.push(decoder.decode(bytes.subarray(start, at)))
  }
  while (at < bytes.length) {
    const width = sequenceWidth(bytes, at)
    if (width === 0) {
      flush()
      runs.push(bytes[at] as number)
      start = at + 1
    }
    at += width || 1
  }
  flush()
  return runs
}

/** Bytes of the well-formed UTF-8 sequence at `at`, or 0. Table 3-7 of the Unicode standard. */
function sequenceWidth(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] as number
  if (lead < 0x80) return 1
  const second = bytes[at + 1] ?? 0
  const tail = (offset: number) => ((bytes[at + offset] ?? 0) & 0xc0) === 0x80
  if (lead >= 0xc2 && lead <= 0xdf) return tail(1) ? 2 : 0
  if (lead >= 0xe0 && lead <= 0xef) {
    const low = lead === 0xe0 ? 0xa0 : 0x80
    const high = lead === 0xed ? 0x9f : 0xbf
    return second >= low && second <= high && tail(2) ? 3 : 0
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const low = lead === 0xf0 ? 0x90 : 0x80
    const high = lead === 0xf4 ? 0x8f : 0xbf
    return second >= low && second <= high && tail(2) && tail(3) ? 4 : 0
  }
  return 0
}
