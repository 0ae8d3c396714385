import { ModelInputError } from '../modelErrors.ts'
import { byteToChar } from './byteAlphabet.ts'
import { preTokenize } from './preTokenize.ts'
import { Tokenizer } from './tokenizer.ts'

/** A distinct piece of the corpus. */
interface Word {
  ids: number[]
  readonly count: number
}

/** Pairs of neighbouring tokens: how often they come, and in which words. */
interface PairCounts {
  readonly stride: number
  readonly count: Map<number, number>
  readonly words: Map<number, Set<number>>
}

/**
 * Learns a byte-pair vocabulary: the most frequent pair becomes a token, until there are `vocabSize`.
 *
 * Deterministic, and the same as Hugging Face's `BpeTrainer`: special tokens first, then the 256 bytes in the order of the
 * byte alphabet, then the merged tokens; of equally frequent pairs the one with the lowest ids wins. Each merge scans all
 * pairs, which is enough for thousands of tokens.
 *
 * @param corpus - texts; nothing is merged across two of them.
 * @param vocabSize - tokens wanted; fewer come out if the corpus has no pair left.
 * @param special - names of the special tokens, ids 0 and up.
 * @throws {ModelInputError} if `vocabSize` is too small for the bytes and the special tokens.
 * @see Sennrich et al., Neural Machine Translation of Rare Words with Subword Units, arXiv:1508.07909.
 */
export function trainTokenizer(corpus: Iterable<string>, vocabSize: number, special: readonly string[]): Tokenizer {
  if (new Set(special).size !== special.length || vocabSize < special.length + 256)
    throw new ModelInputError(`a vocabulary of ${vocabSize} is too small for 256 bytes and ${special.length} names`, {
      hint: 'Ask for a larger vocabulary and name each special token once.',
    })
  const alphabet = byteToChar.map((char, byte) => ({ char, byte })).sort((a, b) => (a.char < b.char ? -1 : 1))
  const tokens: Uint8Array[] = special.map(name => new Uint8Array(Buffer.from(name)))
  const idOfByte = new Int32Array(256)
  for (const { byte } of alphabet) {
    idOfByte[byte] = tokens.length
    tokens.push(Uint8Array.of(byte))
  }
  const words = countWords(corpus, idOfByte)
  const pairs = countPairs(words, vocabSize)
  const idOf = new Map<string, number>()
  const names = new Set(special)
  const merges: [number, number, number][] = []
  while (tokens.length < vocabSize) {
    const best = mostFrequent(pairs)
    if (best === undefined) break
    const [left, right] = [Math.floor(best / vocabSize), best % vocabSize]
    const bytes = Buffer.concat([tokens[left] as Uint8Array, tokens[right] as Uint8Array])
    const text = bytes.toString('latin1')
    if (names.has(text)) {
      pairs.count.delete(best) // a plain token must not read like a special one
      continue
    }
    const merged = idOf.get(text) ?? tokens.length
    if (merged === tokens.length) tokens.push(new Uint8Array(bytes))
    idOf.set(text, merged)
    merges.push([left, right, merged])
    mergePair(words, pairs, best, merged)
  }
  return new Tokenizer({ tokens, specials: new Map(special.map((name, id) => [name, id])), merges })
}

function countWords(corpus: Iterable<string>, idOfByte: Int32Array): Word[] {
  const counts = new Map<string, number>()
  for (const text of corpus) for (const piece of preTokenize(text)) counts.set(piece, (counts.get(piece) ?? 0) + 1)
  return [...counts].map(([piece, count]) => ({
    ids: Array.from(Buffer.from(piece), byte => idOfByte[byte] as number),
    count,
  }))
}

function countPairs(words: readonly Word[], stride: number): PairCounts {
  const pairs: PairCounts = { stride, count: new Map(), words: new Map() }
  words.forEach((word, index) => {
    addPairs(pairs, word, index, 1)
  })
  return pairs
}

/** Adds (sign 1) or takes away (sign -1) the pairs of one word. */
function addPairs(pairs: PairCounts, word: Word, index: number, sign: 1 | -1): void {
  for (let i = 0; i + 1 < word.ids.length; i++) {
    const key = (word.ids[i] as number) * pairs.stride + (word.ids[i + 1] as number)
    pairs.count.set(key, (pairs.count.get(key) ?? 0) + sign * word.count)
    const holders = pairs.words.get(key)
    if (holders) holders.add(index)
    else pairs.words.set(key, new Set([index]))
  }
}

function mostFrequent(pairs: PairCounts): number | undefined {
  let best: number | undefined
  let most = 0
  for (const [key, count] of pairs.count) {
    if (count > most || (count === most && best !== undefined && key < best)) {
      best = key
      most = count
    }
  }
  return best
}

function mergePair(words: readonly Word[], pairs: PairCounts, key: number, merged: number): void {
  const left = Math.floor(key / pairs.stride)
  const right = key % pairs.stride
  for (const index of pairs.words.get(key) ?? []) {
    const word = words[index] as Word
    addPairs(pairs, word, index, -1)
    const ids: number[] = []
    for (let i = 0; i < word.ids.length; i++) {
      const here = word.ids[i] as number
      if (here === left && word.ids[i + 1] === right) {
        ids.push(merged)
        i++
      } else ids.push(here)
    }
    word.ids = ids
    addPairs(pairs, word, index, 1)
  }
  pairs.count.delete(key)
  pairs.words.delete(key)
}
