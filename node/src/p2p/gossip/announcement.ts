import { z } from 'zod'
import { CanonicalError, decodeCanonical, encodeCanonical } from '#core/canonical.ts'
import { type ContentId, hash32, type PolicyHash, type Root } from '#core/hashes.ts'
import { chainIdSchema, roundSchema, versionSchema } from '#core/payloads/payloadFields.ts'
import { formatSizes } from '#core/payloads/payloadSizes.ts'
import { AnnouncementError } from '../errors.ts'
import { type AnnouncementKind, announcementKinds } from './topics.ts'
import { ignore, reject, type Verdict } from './verdict.ts'

/** Most bytes that we send. */
export const SOFT_MAX_BYTES = 4 << 10
/** Most bytes that we accept, from newer or more verbose software. */
export const HARD_MAX_BYTES = 16 << 10

const count = z.int().min(0).max(0xffff_ffff)

const fields = z.strictObject({
  v: versionSchema,
  kind: z.enum(announcementKinds),
  chainId: chainIdSchema,
  round: roundSchema,
  /** Base58; the signer of the message that carries this. */
  peerId: z.string().max(64),
  /** sha-256 of the payload, which is fetched from the peer. */
  contentId: hash32<ContentId>(),
  /** Root of the payload's leaves, as committed on the chain. */
  root: hash32<Root>(),
  /** Leaves below `root`. */
  count,
  /** The policy that made the rollouts; zero for the other kinds. */
  policyHash: hash32<PolicyHash>(),
  /** Size of the payload, bytes. */
  size: count,
})
const schema = fields.refine(({ kind, size }) => size <= formatSizes[kind], 'a payload larger than any of its kind')

/** Announces that a peer holds a payload: its content id, and what it is bound to. Hashes are `0x` and 64 digits. */
export type Announcement = z.infer<typeof schema>

const versioned = z.looseObject({ v: z.int() })

/** @throws {AnnouncementError} if other peers would refuse it. */
export function encodeAnnouncement(announcement: Announcement): Uint8Array {
  const parsed = schema.safeParse(announcement)
  const bytes = parsed.success ? encodeCanonical(parsed.data) : undefined
  if (bytes !== undefined && bytes.byteLength <= SOFT_MAX_BYTES) return bytes
  throw new AnnouncementError(`An announcement of kind ${announcement.kind} is not well formed.`, {
    hint: 'This is a defect of the program; please report it.',
    cause: parsed.error,
  })
}

/**
 * Checks the bytes alone.
 *
 * @param from - base58 peer id of the signer.
 */
export function checkAnnouncement(
  bytes: Uint8Array,
  from: string,
  expected: { kind: AnnouncementKind; chainId: number },
): Verdict<Announcement> {
  const decoded = decodeVersioned(bytes, schema, HARD_MAX_BYTES)
  if (decoded.verdict !== 'accept') return decoded
  const { kind, chainId, peerId } = decoded.value
  if (kind !== expected.kind) return reject('kind of another topic')
  if (chainId !== expected.chainId) return reject('wrong chain id')
  if (peerId !== from) return reject('not the sender that it names')
  return decoded
}

/** Canonical bytes of version 1, checked by `schema`. A later version is valid, but not for us. */
export function decodeVersioned<T extends z.ZodType>(
  bytes: Uint8Array,
  schema: T,
  maxBytes: number,
): Verdict<z.output<T>> {
  try {
    const value = decodeCanonical(bytes, versioned, maxBytes)
    if (value.v !== 1) return ignore(`version ${value.v}`)
    const parsed = schema.safeParse(value)
    return parsed.success ? { verdict: 'accept', value: parsed.data } : reject(z.prettifyError(parsed.error))
  } catch (cause) {
    if (cause instanceof CanonicalError) return reject(cause.message)
    throw cause
  }
}
