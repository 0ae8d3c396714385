/** Node's hashes take fewer than 2^31 bytes at once. */
const MAX_PART_BYTES = 2 ** 30

/** Views of bytes, in order, each small enough to be hashed; no bytes are copied. */
export function boundedParts(bytes: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += MAX_PART_BYTES) parts.push(bytes.subarray(at, at + MAX_PART_BYTES))
  return parts
}
