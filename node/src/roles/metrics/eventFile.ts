/** A figure of one step, by its tag. */
export type Scalars = Readonly<Record<string, number>>

/**
 * Event files of TensorBoard: records of length, masked checksum, protocol buffer `Event`, masked checksum. Written here, since npm has no
 * maintained encoder for them. Weights & Biases imports them as well.
 *
 * @see https://github.com/tensorflow/tensorboard/blob/master/tensorboard/compat/proto/event.proto
 * @see https://www.tensorflow.org/tutorials/load_data/tfrecord#tfrecords_format_details
 */
export function encodeFileVersion(wallSec: number): Uint8Array {
  return record([...double(1, wallSec), ...bytes(3, Buffer.from('brain.Event:2'))])
}

/** @param wallSec - Unix time. */
export function encodeScalars(wallSec: number, step: number, scalars: Scalars): Uint8Array {
  const values = Object.entries(scalars).flatMap(([tag, value]) =>
    bytes(1, [...bytes(1, Buffer.from(tag)), ...float(2, value)]),
  )
  return record([...double(1, wallSec), ...varint(8 * 2), ...varint(step), ...bytes(5, values)])
}

function record(event: readonly number[]): Uint8Array {
  const framed = Buffer.alloc(event.length + 16)
  framed.writeBigUInt64LE(BigInt(event.length))
  framed.writeUInt32LE(masked(framed.subarray(0, 8)), 8)
  framed.set(event, 12)
  framed.writeUInt32LE(masked(framed.subarray(12, 12 + event.length)), 12 + event.length)
  return framed
}

/** TFRecord masks checksums, since a checksum over data that contains its own checksum is weak. */
function masked(data: Uint8Array): number {
  const crc = crc32c(data)
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}

/** Castagnoli's polynomial, reflected (RFC 3720, appendix B.4). */
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
  return crc
})

function crc32c(data: Uint8Array): number {
  let crc = 0xffff_ffff
  for (const byte of data) crc = (table[(crc ^ byte) & 255] as number) ^ (crc >>> 8)
  return (crc ^ 0xffff_ffff) >>> 0
}

// Fields of protocol buffers: number and wire type, then the value.

function double(field: number, value: number): number[] {
  const data = Buffer.alloc(8)
  data.writeDoubleLE(value)
  return [8 * field + 1, ...data]
}

function float(field: number, value: number): number[] {
  const data = Buffer.alloc(4)
  data.writeFloatLE(value)
  return [8 * field + 5, ...data]
}

function bytes(field: number, data: ArrayLike<number>): number[] {
  return [8 * field + 2, ...varint(data.length), ...Array.from(data)]
}

/** @param value - a whole number of at least 0. */
function varint(value: number): number[] {
  const out: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) out.push((rest % 128) | 128)
  return [...out, rest]
}
