import * as dagCbor from '@ipld/dag-cbor'
import type { RandomStream } from '#base/random.ts'

/** Values that parsers mistake: bounds, wrong types, names that objects inherit. */
const VALUES: readonly unknown[] = [
  ...[null, true, '', '0x', '__proto__', 'x'.repeat(300), [], {}, new Uint8Array(0), new Uint8Array(33)],
  // Numbers in hex beyond 2^53, of 256 bits, of more, and of more digits than `BigInt` takes quickly.
  ...['0x20000000000001', `0x${'f'.repeat(64)}`, `0x1${'0'.repeat(64)}`, `0x${'f'.repeat(400)}`],
  ...[0, 1, -1, 0.5, -1e308, 255, 65_535, 65_536, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER, 2n ** 63n],
]

/**
 * The n-th hostile input made of a valid one: noise, damaged bytes, deep nesting, or a valid encoding of a damaged value,
 * which passes the decoder and meets the schema.
 */
export function mutate(seed: Uint8Array, random: RandomStream): Uint8Array {
  const kind = random.integer(16)
  if (kind === 0) return bytesOf(random, random.integer(256))
  if (kind === 1) return new Uint8Array(1 + random.integer(4096)).fill(0x81)
  if (kind < 8) return damagedBytes(seed, random)
  return damagedValue(seed, random) ?? damagedBytes(seed, random)
}

function bytesOf(random: RandomStream, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.integer(256))
}

function damagedBytes(seed: Uint8Array, random: RandomStream): Uint8Array {
  const at = random.integer(seed.byteLength + 1)
  const until = Math.min(seed.byteLength, at + random.integer(8))
  switch (random.integer(4)) {
    case 0:
      return seed.slice(0, at)
    case 1:
      return Uint8Array.from([...seed.subarray(0, at), ...bytesOf(random, 1 + random.integer(8)), ...seed.subarray(at)])
    case 2:
      return Uint8Array.from([...seed.subarray(0, at), ...seed.subarray(until)])
    default: {
      const damaged = Uint8Array.from(seed)
      damaged[at] = random.integer(256)
      return damaged
    }
  }
}

/** Null if the bytes are not dag-cbor. */
function damagedValue(seed: Uint8Array, random: RandomStream): Uint8Array | null {
  let value: unknown
  try {
    value = dagCbor.decode(seed)
  } catch {
    return null
  }
  const places = placesIn(value)
  for (let left = 1 + random.integer(3); left > 0 && places.length > 0; left -= 1) {
    const place = places[random.integer(places.length)] as Place
    // An earlier damage may have taken it away.
    if (Object.hasOwn(place.holder, place.key)) damage(place, random)
  }
  return dagCbor.encode(value)
}

type Place = { holder: Record<string, unknown>; key: string }

/** Every field and item, at any depth. */
function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return []
  const holder = value as Record<string, unknown>
  return Object.keys(holder).flatMap(key => [{ holder, key }, ...placesIn(holder[key])])
}

function damage({ holder, key }: Place, random: RandomStream): void {
  const value = VALUES[random.integer(VALUES.length)]
  const keys = Object.keys(holder)
  const other = keys[random.integer(keys.length)] as string
  const act = random.integer(5)
  if (Array.isArray(holder)) {
    if (act === 0) holder.splice(Number(key), 1)
    else if (act === 1) holder.push(holder[Number(other)])
    else holder[Number(key)] = act === 2 ? holder[Number(other)] : value
    return
  }
  if (act === 0) delete holder[key]
  else if (act === 1)
    Object.defineProperty(holder, ['__proto__', 'toString', 'x', ''][random.integer(4)] as string, own(value))
  else holder[key] = act === 2 ? holder[other] : value
}

const own = (value: unknown) => ({ value, enumerable: true, configurable: true, writable: true })
