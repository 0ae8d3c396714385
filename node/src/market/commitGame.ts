import { encodeAbiParameters, keccak256, stringToHex } from 'viem'
import type { LeafHash, Root, Salt, Seed } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import { merkleProof, merkleRoot } from '#core/merkle.ts'

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
 * The root that a game is opened with, and what proves each of its leaves.
 *
 * Every leaf has its own salt, since the proof of one shows its siblings' hashes: with a salt in common the first clue
 * would let everybody try the few possible answers.
 *
 * @see `MarketLeaf.sol`, which computes the same leaves.
 */
export function commitGame(place: GamePlace, { clues, answer, seed }: Secrets): Commitment {
  const contents = [...clues.map(clue => keccak256(stringToHex(clue))), toWord(answer)]
  const salts = contents.map((_, index) => keccak256(encodeAbiParameters(saltTypes, [seed, index])))
  const leaves = contents.map((content, index) => leafOf(place, index, content, salts[index] as Hex))
  return {
    root: merkleRoot(leaves),
    leaves: leaves.map((leaf, index) => ({ leaf, salt: salts[index] as Hex, proof: merkleProof(leaves, index) })),
  }
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
