/** Half of secp256k1's order, rounded down: SEC 2, section 2.4.1. */
const HALF_ORDER = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex')
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/**
 * A signature over secp256k1 as libp2p writes it, DER, as `[r, s]` of 32 bytes each.
 *
 * One signature, one form: not the shortest DER, or the higher of the two values that `s` may have, is null. libp2p
 * refuses them too.
 */
export function compactOf(der: Uint8Array): Buffer | null {
  const rLength = der[3] ?? 0
  const sLength = der[5 + rLength] ?? 0
  if (der.byteLength !== 6 + rLength + sLength || der.byteLength > 72) return null
  const r = paddedTo32(der.subarray(4, 4 + rLength))
  const s = paddedTo32(der.subarray(6 + rLength))
  if (r === null || s === null || s.compare(HALF_ORDER) > 0) return null
  const compact = Buffer.concat([r, s])
  // The value is encoded again and compared, so that no other encoding passes.
  return Buffer.compare(derOf(compact), der) === 0 ? compact : null
}

/** The DER form of `[r, s]`, of 32 bytes each. */
export function derOf(compact: Uint8Array): Buffer {
  const r = integerOf(compact.subarray(0, 32))
  const s = integerOf(compact.subarray(32))
  return Buffer.concat([Uint8Array.of(0x30, r.byteLength + s.byteLength), r, s])
}

/** The same signature with the lower of the two values that `s` may have. */
export function lowOf(compact: Buffer): Buffer {
  const s = compact.subarray(32)
  if (s.compare(HALF_ORDER) <= 0) return compact
  const lower = (ORDER - BigInt(`0x${s.toString('hex')}`)).toString(16).padStart(64, '0')
  return Buffer.concat([compact.subarray(0, 32), Buffer.from(lower, 'hex')])
}

function paddedTo32(integer: Uint8Array): Buffer | null {
  const bytes = integer.byteLength === 33 && integer[0] === 0 ? integer.subarray(1) : integer
  return bytes.byteLength > 32 ? null : Buffer.concat([Buffer.alloc(32 - bytes.byteLength), bytes])
}

function integerOf(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex(byte => byte !== 0)
  const shortest = bytes.subarray(first === -1 ? bytes.byteLength - 1 : first)
  // A leading one bit would be a sign.
  const sign = (shortest[0] ?? 0) > 0x7f ? [0] : []
  return Buffer.concat([Uint8Array.of(2, sign.length + shortest.byteLength, ...sign), shortest])
}
