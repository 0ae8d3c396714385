import { createHash } from 'node:crypto'
import type { Hex } from './hex.ts'

/** The name of some bytes: their sha-256, as `0x` and 64 digits. On the chain it is a `bytes32`. */
export function contentId(bytes: Uint8Array): Hex {
  return `0x${createHash('sha256').update(bytes).digest('hex')}`
}
