import type { Hex } from '../hex.ts'

/** Proves possession of a peer's key without exposing the key. */
export type PeerSigner = Secp256k1Signer | RsaSigner

export type Secp256k1Signer = {
  type: 'secp256k1'
  /** 64 bytes, x and y. */
  publicKey: Hex
  /** Signs a 32-byte digest: 65 bytes, r, s (the lower one) and v (27 or 28). */
  sign(digest: Hex): Promise<Hex>
}

export type RsaSigner = {
  type: 'RSA'
  /** libp2p's protobuf form. */
  publicKey: Hex
  /** Big-endian, without leading zeros. */
  modulus: Hex
  exponent: number
  /** Signs 32 bytes as a message, by PKCS#1 v1.5 with SHA-256: as long as the modulus. */
  sign(digest: Hex): Promise<Hex>
}
