import { concatHex, keccak256 } from 'viem'
import { expect, test } from 'vitest'
import { type Hex, ZERO_HASH } from '../hex.ts'
import { placedTree, rootAt } from './placedTree.ts'

const leaf = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`
const pair = (left: Hex, right: Hex): Hex => keccak256(concatHex([left, right]))

test('a tree has each leaf at its place, and zero elsewhere', () => {
  const [two, four] = [leaf(2), leaf(4)]
  const nothing = pair(ZERO_HASH, ZERO_HASH)
  const places = [two, four].map((hash, at) => [2 * at + 2, hash] as const)
  const tree = placedTree(new Map(places), 5)
  const [low, high] = [pair(nothing, pair(two, ZERO_HASH)), pair(pair(four, ZERO_HASH), nothing)]
  expect(tree.root).toBe(pair(low, high))
  expect(tree.proofOf(4)).toEqual([ZERO_HASH, nothing, low])
  expect(placedTree(new Map([[0, two]]), 1)).toMatchObject({ root: two })
  expect(placedTree(new Map(), 5).root).toBe(ZERO_HASH)
})

test.each([1, 2, 3, 4, 7, 8, 9, 33])(
  'proofs of %i places are as long as the tree is high, and hold for their place alone',
  count => {
    const leaves = new Map(Array.from({ length: count }, (_, place) => [place, leaf(place + 1)] as const))
    const { root, proofOf } = placedTree(leaves, count)
    const depth = (count - 1).toString(2).replace(/^0$/, '').length
    for (const [place, hash] of leaves) {
      const proof = proofOf(place)
      expect(proof).toHaveLength(depth)
      for (const other of leaves.keys()) expect(rootAt(hash, other, proof) === root).toBe(other === place)
    }
  },
)

test('a leaf outside of the places is refused', () => {
  expect(() => placedTree(new Map([[3, leaf(1)]]), 3)).toThrow(RangeError)
  expect(() => placedTree(new Map(), 3).proofOf(3)).toThrow(RangeError)
})
