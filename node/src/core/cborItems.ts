/** A map of a message has a dozen fields, and sixteen components at most. */
const MAX_MAP_ENTRIES = 64

/**
 * Whether dag-cbor holds no more than `maxItems` values and keys, and no map of more than 64 entries, by its headers alone: an empty map
 * is one byte, takes a hundred when it is decoded, and twice that when it is encoded again.
 *
 * @param bytes - hostile; whether they are dag-cbor is for the decoder to say, which reads no further than this does.
 */
export function hasFewItems(bytes: Uint8Array, maxItems: number): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let left = 1
  let items = 0
  for (let at = 0; left > 0 && at < bytes.byteLength; left--) {
    items += 1
    if (items > maxItems) return false
    const first = view.getUint8(at)
    const [major, short] = [first >> 5, first & 31]
    const width = short < 24 ? 0 : 1 << (short - 24)
    // Above 27 nothing follows: no decoder takes these.
    if (short > 27 || at + 1 + width > bytes.byteLength) return true
    const argument = width === 0 ? short : readUint(view, at + 1, width)
    at += 1 + width
    if (major === BYTES || major === TEXT) at += argument
    else if (major === LIST) left += argument
    else if (major === TAG) left += 1
    else if (major === MAP) {
      if (argument > MAX_MAP_ENTRIES) return false
      left += 2 * argument
    }
  }
  return true
}

const [BYTES, TEXT, LIST, MAP, TAG] = [2, 3, 4, 5, 6]

function readUint(view: DataView, at: number, width: number): number {
  if (width === 1) return view.getUint8(at)
  if (width === 2) return view.getUint16(at)
  return width === 4 ? view.getUint32(at) : Number(view.getBigUint64(at))
}
