import { keccak_256 } from '@noble/hashes/sha3.js'
import type { LeafHash } from './hashes.ts'
import { type Hex, toHex } from './hex.ts'

export function keccak(bytes: Uint8Array): Hex {
  return toHex(keccak_256(bytes))
}

/** The hash of a leaf of a tree: hashed twice, so that no inner node can be passed off as one. */
export function leafKeccak(bytes: Uint8Array): LeafHash {
  return toHex(keccak_256(keccak_256(bytes)))
}

/**
 * Values of static types, encoded as by Solidity's `abi.encode`, 32 bytes each: a number as an unsigned integer, hexadecimal digits as
 * `bytes32`.
 *
 * By hand, since a general encoder takes longer for a leaf than its three rounds of keccak.
 *
 * @throws {RangeError} for a number that is not an integer from 0 to 2^53, or for digits of another length.
 */
export function abiWords(values: readonly (number | Hex)[]): Uint8Array {
  const words = Buffer.alloc(32 * values.length)
  for (const [at, value] of values.entries()) {
    if (typeof value === 'number') {
      if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is not an unsigned integer`)
      words.writeBigUInt64BE(BigInt(value), 32 * at + 24)
    } else if (value.length !== 66 || words.write(value.slice(2), 32 * at, 32, 'hex') !== 32) {
      throw new RangeError(`${value} is not 32 bytes in hexadecimal`)
    }
  }
  return words
}
