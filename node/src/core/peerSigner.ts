import type { Hex } from './hex.ts'

/** Proves possession of a peer's secp256k1 key without handing the key around. */
export type PeerSigner = {
  /** 64 bytes, x and y. */
  publicKey: Hex
  /** Signs a 32-byte digest: 65 bytes, r, s (the lower one) and v (27 or 28). */
  sign(digest: Hex): Promise<Hex>
}
