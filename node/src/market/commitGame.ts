import { concat, encodeAbiParameters, keccak256, stringToHex } from 'viem'
import type { LeafHash, Root, Salt, Seed } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'

/** Secrets of a game's Judge until it reveals them. */
export type Secrets = {
  /** In the order of the rounds. */
  clues: readonly string[]
  /** Index of the right choice. */
  answer: number
  /** 32 random bytes, from which the salt of every leaf is derived. */
  seed: Seed
}

/** A game's chain, market and Judge: a leaf is valid for no others. */
type GamePlace = { chainId: number; market: Hex; judge: Hex }

export type Commitment = {
  root: Root
  /** One a clue, then the answer's. */
  leaves: readonly { leaf: LeafHash; salt: Salt; proof: Hex[] }[]
}

/**
 * The root that a game is opened with, `H(clue 0, H(clue 1, ... H(last clue, answer)))`, and what proves each of its
 * leaves.
 *
 * Not a Merkle tree of sorted pairs: that proves membership and no position, so a root could hold several answers, and
 * the Judge would choose among them after the bets.
 *
 * Every leaf has its own salt, since the proof of one shows other leaves' hashes: with a salt in common the first clue
 * would let everybody try the few possible answers.
 *
 * @see `MarketLeaf.sol`, which computes the same leaves.
 */
export function commitGame(place: GamePlace, { clues, answer, seed }: Secrets): Commitment {
  const contents = [...clues.map(clue => keccak256(stringToHex(clue))), toWord(answer)]
  const salts = contents.map((_, index) => keccak256(encodeAbiParameters(saltTypes, [seed, index])))
  const leaves = contents.map((content, index) => leafOf(place, index, content, salts[index] as Hex))
  // The hash of each leaf and all that follow it; the answer's is its leaf.
  const rests: Hex[] = [...leaves]
  for (let i = leaves.length - 2; i >= 0; i--) rests[i] = pairHash(leaves[i] as Hex, rests[i + 1] as Hex)
  const proofOf = (index: number) => [...rests.slice(index + 1, index + 2), ...leaves.slice(0, index).reverse()]
  return {
    root: rests[0] as Hex,
    leaves: leaves.map((leaf, index) => ({ leaf, salt: salts[index] as Hex, proof: proofOf(index) })),
  }
}

function pairHash(left: Hex, right: Hex): Hex {
  return keccak256(concat([left, right]))
}

function leafOf({ chainId, market, judge }: GamePlace, index: number, content: Hex, salt: Salt): LeafHash {
  const body = encodeAbiParameters(leafTypes, [BigInt(chainId), market, judge, index, content, salt])
  return keccak256(keccak256(body))
}

function toWord(value: number): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`
}

const saltTypes = [{ type: 'bytes32' }, { type: 'uint8' }] as const
const leafTypes = [
  { type: 'uint256' },
  { type: 'address' },
  { type: 'address' },
  { type: 'uint8' },
  { type: 'bytes32' },
  { type: 'bytes32' },
] as const
