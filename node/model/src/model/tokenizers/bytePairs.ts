/** Merge rules as one lookup: the pair (left, right) packed in one number gives the merged token and its rank. */
export interface BytePairMerges {
  /** Key `left * stride + right` to the rule's rank, lowest first. */
  readonly rankOf: ReadonlyMap<number, number>
  /** Token that the rule of each rank makes. */
  readonly tokenOf: Int32Array
  readonly stride: number
}

/**
 * Applies merge rules to one piece in place: always the rule of lowest rank, leftmost first.
 *
 * One pass over the piece for each rule that applies. A rule's own token takes part in later rules only, so no rule comes
 * twice and a hostile piece of n bytes costs at most n times the number of rules; words, which pieces are, need a few passes.
 *
 * @param ids - token ids of the piece's bytes; merged in place.
 * @returns how many ids at the front of `ids` are left.
 */
export function mergeBytePairs(ids: Int32Array, merges: BytePairMerges): number {
  const { rankOf, tokenOf, stride } = merges
  let length = ids.length
  while (length > 1) {
    let best = Number.POSITIVE_INFINITY
    for (let i = 0; i + 1 < length; i++) {
      const rank = rankOf.get((ids[i] as number) * stride + (ids[i + 1] as number))
      if (rank !== undefined && rank < best) best = rank
    }
    if (best === Number.POSITIVE_INFINITY) break
    length = applyRule(ids, length, best, merges, tokenOf[best] as number)
  }
  return length
}

function applyRule(ids: Int32Array, length: number, rank: number, merges: BytePairMerges, merged: number): number {
  let to = 0
  for (let from = 0; from < length; from++) {
    const left = ids[from] as number
    const key = left * merges.stride + (ids[from + 1] as number)
    if (from + 1 < length && merges.rankOf.get(key) === rank) {
      ids[to++] = merged
      from++
    } else ids[to++] = left
  }
  return to
}
