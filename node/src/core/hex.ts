import { z } from 'zod'

/** `0x` and hexadecimal digits. */
export type Hex = `0x${string}`

/** 32 bytes as `0x` and 64 lower-case digits: content ids, hashes, peer keys, roots and seeds. */
export const hash32Schema = z.custom<Hex>(
  value => typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value),
  'expected 0x and 64 lower-case hexadecimal digits',
)

/** 32 zero bytes: stands for 'none' instead of a hash. */
export const ZERO_HASH: Hex = `0x${'00'.repeat(32)}`

export function toHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`
}

/** @throws {TypeError} if `hex` is not `0x` and whole bytes. */
export function fromHex(hex: string): Uint8Array {
  if (!/^0x([0-9a-fA-F]{2})*$/.test(hex)) throw new TypeError('not 0x and whole bytes of hexadecimal')
  return new Uint8Array(Buffer.from(hex.slice(2), 'hex'))
}
