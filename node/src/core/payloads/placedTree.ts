import type { LeafHash, Root } from '../hashes.ts'
import { fromHex, type Hex, ZERO_HASH } from '../hex.ts'
import { keccak } from '../keccak.ts'

/**
 * A Merkle tree over places, of which few hold a leaf: the bits of a place are the way from its leaf up, 0 for the left of a pair. So a proof
 * of fixed length shows what lies at a place, and each place has one leaf. Pairs are not sorted, unlike those of `merkleTree`.
 */
export type PlacedTree = {
  /** Zero if no place holds a leaf. */
  root: Root
  /** The siblings from a place up to the root. @throws {RangeError} if there is no such place. */
  proofOf: (place: number) => Hex[]
}

/**
 * The tree of all places below `count`, and as many empty ones behind them as a power of two takes. An empty place is zero.
 *
 * @throws {RangeError} for a leaf at a place that is not there.
 */
export function placedTree(leaves: ReadonlyMap<number, LeafHash>, count: number): PlacedTree {
  const requirePlace = (place: number) => {
    if (!Number.isInteger(place) || place < 0 || place >= count) throw new RangeError(`no place ${place} of ${count}`)
  }
  for (const place of leaves.keys()) requirePlace(place)
  const depth = Math.ceil(Math.log2(count))
  let level: ReadonlyMap<number, Hex> = leaves
  let empty: Hex = ZERO_HASH
  const siblings: ((place: number) => Hex)[] = []
  for (let height = 0; height < depth; height++) {
    const [below, nothing] = [level, empty]
    const at = (place: number) => below.get(place) ?? nothing
    siblings.push(place => at(place ^ 1))
    level = new Map([...below.keys()].map(place => place >> 1).map(up => [up, hashPair(at(2 * up), at(2 * up + 1))]))
    empty = hashPair(nothing, nothing)
  }
  return {
    root: level.get(0) ?? ZERO_HASH,
    proofOf(place) {
      requirePlace(place)
      return siblings.map((sibling, height) => sibling(place >> height))
    },
  }
}

/** The root of the tree in which a place holds a leaf and has these siblings. */
export function rootAt(leaf: LeafHash, place: number, proof: readonly Hex[]): Root {
  return proof.reduce((node, sibling, height) => {
    return (place >> height) % 2 === 0 ? hashPair(node, sibling) : hashPair(sibling, node)
  }, leaf)
}

function hashPair(left: Hex, right: Hex): Hex {
  return keccak(fromHex(left + right.slice(2)))
}
