import { multiaddr } from '@multiformats/multiaddr'
import { z } from 'zod'
import { encodeCanonical } from '#core/canonical.ts'
import { chainIdSchema, versionSchema } from '#core/payloads/payloadFields.ts'
import { isRelayed, originOf } from '../membership/origin.ts'
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

/** "I can be reached here": multiaddrs, each ending in `/p2p/<peer id>`. */
export type AddressAnnouncement = z.infer<typeof schema>

export function encodeAddresses(announcement: AddressAnnouncement): Uint8Array {
  return encodeCanonical(schema.parse(announcement))
}

type Checked = { from: string; chainId: number; verdict: Verdict<AddressAnnouncement> }

/** Verdicts on bytes that are still about: a message is checked before its signature, again once its author is known, and by whoever else holds it. */
const judged = new WeakMap<Uint8Array, Checked>()

/**
 * Checks what the bytes alone can show. A multiaddr that cannot be parsed is not wrong: newer software may know more
 * protocols.
 *
 * @param bytes - not written to any more.
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

/** Places at relays that are announced, at most: after the others, which are tried first. */
const MAX_RELAYED = 2

/** Those of a host's own addresses that it announces, in the order to dial them. */
export function announceable(addresses: readonly string[]): string[] {
  // A relay says itself where it is reached, as lengthily as it likes.
  const short = addresses.filter(({ length }) => length <= MAX_ADDRESS_CHARACTERS)
  const relayed = short.filter(isRelayed).slice(0, MAX_RELAYED)
  const direct = short.filter(address => !isRelayed(address))
  return [...direct.slice(0, MAX_ADDRESSES - relayed.length), ...relayed]
}

/**
 * Those of the addresses, all well-formed, that this host may dial.
 *
 * @param isNear - whether their peer is in the same network as this host, so that a private address leads to it and not to another's router.
 */
export function dialable(addresses: readonly string[], ownAddresses: readonly string[], isNear: boolean): string[] {
  // On a swarm of one machine all is loopback; elsewhere a loopback address is somebody else's, or a trap.
  const local = ownAddresses.length > 0 && ownAddresses.every(isLoopback)
  return addresses.filter(address => (isLoopback(address) ? local : isNear || !isPrivate(address)))
}

export function isPrivate(address: string): boolean {
  return originOf(address)?.isPrivate ?? false
}

export function isLoopback(address: string): boolean {
  return originOf(address)?.isLoopback ?? false
}

/** True if this host can make sense of the address. */
export function isMultiaddr(address: string): boolean {
  try {
    multiaddr(address)
    return true
  } catch {
    return false
  }
}
