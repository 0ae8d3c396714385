import { z } from 'zod'
import { decodeCanonical, encodeCanonical } from '#core/canonical.ts'
import { roundSchema, versionSchema } from '#core/payloads/payloadFields.ts'
import type { SignedMessage } from '../gossip/signedMessage.ts'

/**
 * Requests the announcements of some rounds, and the addresses, that the asker lacks in a range of ids. One framed request; then signed
 * messages, those with the lowest ids, one a frame, until the end of the stream. Frames are a 4-byte
 * big-endian length and canonical dag-cbor. A range holds no more than the asker can list, so that a swarm of any size is
 * brought up to date range by range.
 */
export const SYNC_PROTOCOL = '/waggle/announcements/2.0.0'

/** Bytes of a message's id that name it in a request. */
const PREFIX_BYTES = 8
/** Bytes of a message's id that place it in a range. */
const PLACE_BYTES = 6
const LAST_PLACE = 256 ** PLACE_BYTES - 1
const MAX_HAVE = 8192
export const MAX_REQUEST_BYTES = MAX_HAVE * PREFIX_BYTES + 256
/** Messages in one answer. */
export const MAX_ANSWERS = 4096

const place = z.int().min(0).max(LAST_PLACE)

const request = z.strictObject({
  v: versionSchema,
  from: roundSchema,
  to: roundSchema,
  /** Range of ids, both ends inside. */
  first: place,
  last: place,
  /** Prefixes of the ids that the asker has in that range, one after another. */
  have: z
    .custom<Uint8Array>(value => value instanceof Uint8Array, 'expected bytes')
    .refine(bytes => bytes.byteLength % PREFIX_BYTES === 0, 'expected whole prefixes'),
})

type SyncRequest = z.infer<typeof request>
/** A range of ids, and the asker's messages in it. */
type SyncPart = Pick<SyncRequest, 'first' | 'last' | 'have'>

export const encodeSyncRequest = (value: SyncRequest): Uint8Array => encodeCanonical(value)
/** @throws {CanonicalError} if the bytes are not a request. */
export const decodeSyncRequest = (bytes: Uint8Array): SyncRequest => decodeCanonical(bytes, request, MAX_REQUEST_BYTES)

/** The part of a message that a request needs. */
type Named = Pick<SignedMessage, 'id'>

const prefixOf = (message: Named): Uint8Array => message.id.subarray(0, PREFIX_BYTES)

/** The number in some bytes, the highest first. Without a view: it is read for each of tens of thousands of ids. */
function numberIn(bytes: Uint8Array, from: number, end: number): number {
  let value = 0
  for (let at = from; at < end; at++) value = value * 256 + (bytes[at] as number)
  return value
}

/** Position of a message's id among all ids. */
export const placeOf = ({ id }: Named): number => numberIn(id, 0, PLACE_BYTES)

type Placed<Message> = { message: Message; at: number }

/** The place of the message after `count` of these; beyond all places if there is none. */
const placeAfter = (count: number, placed: readonly Placed<Named>[]): number =>
  placed.length <= count ? LAST_PLACE + 1 : (Float64Array.from(placed, ({ at }) => at).sort()[count] as number)

function inRange<Message extends Named>(messages: readonly Message[], first: number, last: number): Placed<Message>[] {
  const placed: Placed<Message>[] = []
  for (const message of messages) {
    const at = placeOf(message)
    if (at >= first && at <= last) placed.push({ message, at })
  }
  return placed
}

/** The largest range from `first` on whose messages the asker can list. */
export function partFrom(first: number, messages: readonly Named[]): SyncPart {
  const held = inRange(messages, first, LAST_PLACE)
  const last = placeAfter(MAX_HAVE, held) - 1
  const listed = held.filter(({ at }) => at <= last)
  return { first, last, have: Uint8Array.from(Buffer.concat(listed.map(({ message }) => prefixOf(message)))) }
}

/** The messages of the range that are not in `have`, those with the lowest ids; in the order of `messages`. */
export function missingFrom({ first, last, have }: SyncPart, messages: readonly SignedMessage[]): SignedMessage[] {
  // By place, and the rest of the prefix apart: a place alone can be met by an id that somebody searched for.
  const held = new Map<number, number[]>()
  for (let at = 0; at < have.byteLength; at += PREFIX_BYTES) {
    const [place, rest] = [numberIn(have, at, at + PLACE_BYTES), numberIn(have, at + PLACE_BYTES, at + PREFIX_BYTES)]
    const rests = held.get(place)
    if (rests === undefined) held.set(place, [rest])
    else rests.push(rest)
  }
  const missing = inRange(messages, first, last).filter(
    ({ message, at }) => !held.get(at)?.includes(numberIn(message.id, PLACE_BYTES, PREFIX_BYTES)),
  )
  const end = placeAfter(MAX_ANSWERS, missing)
  return missing.filter(({ at }) => at < end).map(({ message }) => message)
}

/** Start of the next range, after an answer of `count` messages, none of which is beyond `highest`. */
export function afterAnswer({ last }: SyncPart, count: number, highest: number): number {
  if (count === MAX_ANSWERS) return highest
  return last === LAST_PLACE ? 0 : last + 1
}
