import { z } from 'zod'
import { encodeCanonical } from '#core/canonical.ts'
import { chainIdSchema, versionSchema } from '#core/payloads/payloadFields.ts'
import { isLoopback, isPrivate } from '../membership/dialable.ts'
import { isRelayed } from '../membership/origin.ts'
import { decodeVersioned, SOFT_MAX_BYTES } from './announcement.ts'
import { reject, type Verdict } from './verdict.ts'

const MAX_ADDRESSES = 8
const MAX_ADDRESS_CHARACTERS = 256

const schema = z.strictObject({
  v: versionSchema,
  kind: z.literal('addresses'),
  chainId: chainIdSchema,
  /** Base58; the signer of the message that carries this. */
  peerId: z.string().max(64),
  multiaddrs: z.array(z.string().max(MAX_ADDRESS_CHARACTERS)).min(1).max(MAX_ADDRESSES),
})

/** A peer's own addresses: multiaddrs, each ending in `/p2p/<peer id>`. */
export type AddressAnnouncement = z.infer<typeof schema>

export function encodeAddresses(announcement: AddressAnnouncement): Uint8Array {
  return encodeCanonical(schema.parse(announcement))
}

type Checked = { from: string; chainId: number; verdict: Verdict<AddressAnnouncement> }

/** Cached verdicts by message bytes: a message is checked before its signature, again once its author is known, and by other holders. */
const judged = new WeakMap<Uint8Array, Checked>()

/**
 * Checks the bytes alone. An unreadable multiaddr is not an error: newer software may know more protocols.
 *
 * @param bytes - must not be modified afterwards.
 * @param from - base58 peer id of the signer.
 */
export function checkAddresses(bytes: Uint8Array, from: string, chainId: number): Verdict<AddressAnnouncement> {
  const before = judged.get(bytes)
  if (before?.from === from && before.chainId === chainId) return before.verdict
  const verdict = judge(bytes, from, chainId)
  judged.set(bytes, { from, chainId, verdict })
  return verdict
}

function judge(bytes: Uint8Array, from: string, chainId: number): Verdict<AddressAnnouncement> {
  const decoded = decodeVersioned(bytes, schema, SOFT_MAX_BYTES)
  if (decoded.verdict !== 'accept') return decoded
  const { value } = decoded
  if (value.chainId !== chainId) return reject('wrong chain id')
  if (value.peerId !== from) return reject('not the sender that it names')
  if (!value.multiaddrs.every(address => address.endsWith(`/p2p/${from}`))) return reject('addresses of another peer')
  return decoded
}

/** Most relay addresses that are announced, after the direct ones, which are tried first. */
const MAX_RELAYED = 2

/** The addresses that a host announces, in the order to dial them. Loopback is announced if there is nothing else. */
export function announceable(addresses: readonly string[]): string[] {
  // A relay's addresses are its own claim, of any length.
  const short = addresses.filter(({ length }) => length <= MAX_ADDRESS_CHARACTERS)
  const beyond = short.filter(address => !isLoopback(address))
  const all = beyond.length > 0 ? beyond : short
  const relayed = publicFirst(all.filter(isRelayed), MAX_RELAYED)
  const direct = all.filter(address => !isRelayed(address))
  return [...publicFirst(direct, MAX_ADDRESSES - relayed.length), ...relayed]
}

/** Some of the addresses, in their order. Private ones are left out first: the bridges of containers alone may be more than are announced. */
function publicFirst(addresses: readonly string[], count: number): string[] {
  const [elsewhere, near] = [addresses.filter(one => !isPrivate(one)), addresses.filter(isPrivate)]
  const chosen = new Set([...elsewhere, ...near].slice(0, count))
  return addresses.filter(address => chosen.has(address))
}
