import fc from 'fast-check'
import { keccak256 } from 'viem'
import { expect, test } from 'vitest'
import type { Hex } from './hex.ts'
import { merkleProof, merkleRoot, merkleTree, proofIn, verifyProof } from './merkle.ts'

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytes => keccak256(bytes))
const hashes = fc.array(hash, { minLength: 1, maxLength: 40 })

test('every leaf has a proof', () => {
  fc.assert(
    fc.property(hashes, leaves => {
      const root = merkleRoot(leaves)
      const tree = merkleTree(leaves)
      expect(tree[0]).toBe(root)
      for (const [i, leaf] of leaves.entries()) {
        expect(verifyProof(root, leaf, merkleProof(leaves, i))).toBe(true)
        expect(proofIn(tree, i)).toEqual(merkleProof(leaves, i))
      }
    }),
    { numRuns: 30 },
  )
})

test('a leaf that is not in the tree has none', () => {
  fc.assert(
    fc.property(hashes, hash, fc.nat(), (leaves, other, at) => {
      fc.pre(!leaves.includes(other))
      expect(verifyProof(merkleRoot(leaves), other, merkleProof(leaves, at % leaves.length))).toBe(false)
    }),
    { numRuns: 30 },
  )
})

test('changing any leaf changes the root', () => {
  fc.assert(
    fc.property(hashes, hash, fc.nat(), (leaves, other, at) => {
      fc.pre(!leaves.includes(other))
      const changed = leaves.map((leaf, i) => (i === at % leaves.length ? other : leaf))
      expect(merkleRoot(changed)).not.toBe(merkleRoot(leaves))
    }),
    { numRuns: 30 },
  )
})

test('the root of one leaf is that leaf, and of two the hash of the sorted pair', () => {
  const a: Hex = `0x${'01'.repeat(32)}`
  const b: Hex = `0x${'02'.repeat(32)}`
  expect(merkleRoot([a])).toBe(a)
  expect(merkleRoot([a, b])).toBe(keccak256(`0x${'01'.repeat(32)}${'02'.repeat(32)}`))
  expect(merkleRoot([b, a])).toBe(merkleRoot([a, b]))
})

test('no leaves, or no such leaf, is an error of the caller', () => {
  expect(() => merkleRoot([])).toThrow(RangeError)
  expect(() => merkleProof([`0x${'01'.repeat(32)}` as const], 1)).toThrow(RangeError)
})
