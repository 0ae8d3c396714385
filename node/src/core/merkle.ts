import type { LeafHash, Root } from './hashes.ts'
import { fromHex, type Hex } from './hex.ts'
import { keccak } from './keccak.ts'

/**
 * Merkle trees over leaves in their own order, with pairs sorted before they are hashed, so that OpenZeppelin's
 * `MerkleProof.verify` accepts the proofs.
 *
 * The layout is that of OpenZeppelin's JavaScript library without its sorting of leaves: a complete binary heap whose
 * last node is leaf 0. A sorted pair proves membership, never a position, which is why a leaf holds its own index.
 * Leaves must be hashes of more than 64 bytes of preimage (ours are hashed twice), or an inner node could pass as one.
 *
 * @returns all nodes, the root first.
 * @throws {RangeError} if there is no leaf.
 */
export function merkleTree(leaves: readonly LeafHash[]): Hex[] {
  if (leaves.length === 0) throw new RangeError('a Merkle tree needs at least one leaf')
  const size = 2 * leaves.length - 1
  const tree = new Array<Hex>(size)
  for (const [i, leaf] of leaves.entries()) tree[size - 1 - i] = leaf
  for (let i = leaves.length - 2; i >= 0; i--) tree[i] = hashPair(tree[2 * i + 1] as Hex, tree[2 * i + 2] as Hex)
  return tree
}

function hashPair(a: Hex, b: Hex): Hex {
  return keccak(fromHex(a < b ? a + b.slice(2) : b + a.slice(2)))
}

/** @throws {RangeError} if there is no leaf. */
export function merkleRoot(leaves: readonly LeafHash[]): Root {
  return merkleTree(leaves)[0] as Hex
}

/**
 * The siblings from leaf `index` up to the root.
 *
 * @throws {RangeError} if there is no such leaf.
 */
export function merkleProof(leaves: readonly LeafHash[], index: number): Hex[] {
  return proofIn(merkleTree(leaves), index)
}

/** The same in a given tree. */
export function proofIn(tree: readonly Hex[], index: number): Hex[] {
  const count = (tree.length + 1) / 2
  if (!Number.isInteger(index) || index < 0 || index >= count) throw new RangeError(`no leaf ${index}`)
  const proof: Hex[] = []
  for (let i = tree.length - 1 - index; i > 0; i = (i - 1) >> 1) proof.push(tree[i % 2 === 1 ? i + 1 : i - 1] as Hex)
  return proof
}

/** The root of the tree in which a leaf has these siblings, from the leaf up. */
function rootFrom(leaf: LeafHash, proof: readonly Hex[]): Root {
  return proof.reduce(hashPair, leaf)
}

export function verifyProof(root: Root, leaf: LeafHash, proof: readonly Hex[]): boolean {
  return rootFrom(leaf, proof) === root
}
