import type { BytePairMerges } from './bytePairs.ts'

/** Tokens and merge rules of a byte-level tokenizer. */
export interface Vocabulary {
  /** Bytes of each token, by id; of a special token, its name's. */
  readonly tokens: readonly Uint8Array[]
  /** Special tokens: name to id. */
  readonly specials: ReadonlyMap<string, number>
  /** Merge rules in the order in which they apply: left, right and merged token. */
  readonly merges: readonly (readonly [left: number, right: number, merged: number])[]
}

/** Lookups for encoding and decoding. */
interface VocabularyTables {
  readonly idOfByte: Int32Array
  readonly isSpecial: Uint8Array
  readonly merges: BytePairMerges
}

export function lookupTables(vocabulary: Vocabulary): VocabularyTables {
  const { tokens, specials, merges } = vocabulary
  const isSpecial = new Uint8Array(tokens.length)
  for (const id of specials.values()) isSpecial[id] = 1
  const idOfByte = new Int32Array(256).fill(-1)
  tokens.forEach((bytes, id) => {
    if (bytes.length === 1 && !isSpecial[id]) idOfByte[bytes[0] as number] = id
  })
  const stride = tokens.length
  const rankOf = new Map<number, number>()
  merges.forEach(([left, right], rank) => {
    if (!rankOf.has(left * stride + right)) rankOf.set(left * stride + right, rank)
  })
  return { idOfByte, isSpecial, merges: { rankOf, tokenOf: Int32Array.from(merges, merge => merge[2]), stride } }
}
