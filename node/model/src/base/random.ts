import { createHash } from 'node:crypto'
import { NodeError } from './errors.ts'

/** Four 32-bit words. */
export type Words = readonly [number, number, number, number]

/** Seed of a stream of random numbers: 32 bytes, as from a round's beacon, or a text. */
export type Seed = Uint8Array | string

/**
 * Counter-based random numbers: number n of a stream depends on (key, n) alone, so the order of draws and other draws do not matter.
 *
 * Philox4x32 with 10 rounds, which passes BigCrush. Not for secrets.
 *
 * @see Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011; golden vectors from Random123 `kat_vectors`.
 */
export function philox4x32(counter: Words, key: readonly [number, number]): Words {
  let [a, b, c, d] = counter
  let [k0, k1] = key
  for (let round = 0; round < 10; round++) {
    const high0 = multiplyHigh(0xd2511f53, a)
    const low0 = Math.imul(0xd2511f53, a)
    const high1 = multiplyHigh(0xcd9e8d57, c)
    const low1 = Math.imul(0xcd9e8d57, c)
    a = high1 ^ b ^ k0
    b = low1
    c = high0 ^ d ^ k1
    d = low0
    k0 = (k0 + 0x9e3779b9) | 0
    k1 = (k1 + 0xbb67ae85) | 0
  }
  return [a >>> 0, b >>> 0, c >>> 0, d >>> 0]
}

/** A seed is invalid. */
class SeedError extends NodeError {
  override readonly code = 'SEED'
}

/** Key of a stream: the first 8 bytes of the sha-256 of a domain's name and the seed, so that two uses of a seed never collide. */
export function streamKey(domain: string, seed: Seed): readonly [number, number] {
  if (typeof seed !== 'string' && !(seed instanceof Uint8Array))
    throw new SeedError(`a seed is a text or bytes, not a ${typeof seed}`, { hint: "Write a number as text: '7'." })
  const hash = createHash('sha256').update(domain).update('\0').update(seed).digest()
  return [hash.readUint32LE(0), hash.readUint32LE(4)]
}

/** A sequential source of random numbers over a counter-based generator: for shuffles, initial weights, curricula. */
export interface RandomStream {
  /** The next 32 random bits. */
  word(): number
  /** Uniform in (0, 1), 53 bits. */
  uniform(): number
  /** Uniform among 0 … `below` - 1, without bias. @throws {RangeError} if `below` is not a whole number from 1 to 2^32. */
  integer(below: number): number
  /** Normal, mean 0, variance 1 (Box and Muller). */
  normal(): number
}

export function randomStream(domain: string, seed: Seed): RandomStream {
  const key = streamKey(domain, seed)
  let block: Words = [0, 0, 0, 0]
  let drawn = 0
  const word = () => {
    if (drawn % 4 === 0) block = philox4x32([Math.floor(drawn / 4) | 0, Math.floor(drawn / 2 ** 34), 0, 0], key)
    return block[drawn++ % 4] as number
  }
  const uniform = () => ((word() >>> 5) * 2 ** 26 + (word() >>> 6) + 0.5) * 2 ** -53
  const integer = (below: number) => {
    if (!Number.isInteger(below) || below < 1 || below > 2 ** 32) throw new RangeError(`no number below ${below}`)
    const limit = 2 ** 32 - (2 ** 32 % below)
    for (;;) {
      const drawnWord = word()
      if (drawnWord < limit) return drawnWord % below
    }
  }
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
  return { word, uniform, integer, normal }
}

/** Upper 32 bits of the product of two unsigned 32-bit numbers. */
function multiplyHigh(x: number, y: number): number {
  const x0 = x & 0xffff
  const x1 = x >>> 16
  const y0 = y & 0xffff
  const y1 = y >>> 16
  const middle = x1 * y0 + ((x0 * y0) >>> 16) // < 2^32 exactly in a double
  return (x1 * y1 + Math.floor(middle / 65536) + Math.floor(((middle % 65536) + x0 * y1) / 65536)) | 0
}
