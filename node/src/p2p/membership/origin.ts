import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

/** The origin of a connection, or the target of an address. */
export type Origin = {
  /** IP address or DNS name. */
  host: string
  /** The block that one operator usually holds: /24 of IPv4, /48 of IPv6. A DNS name stands for itself. */
  subnet: string
  /** This machine, in any notation: a swarm on one machine has all its peers there. A host that dials 0.0.0.0 or :: dials itself as well. */
  isLoopback: boolean
  /** In its own network, whose addresses lead elsewhere from another one: a router, a neighbour's disk, a cloud's metadata. */
  isPrivate: boolean
}

/** Addresses that are not globally reachable, by IANA's registries of special-purpose addresses, including those that embed an IPv4 address. */
const special = new BlockList()
for (const [block, bits] of [
  ...[['10.0.0.0', 8] as const, ['100.64.0.0', 10] as const, ['169.254.0.0', 16] as const],
  ...[['172.16.0.0', 12] as const, ['192.168.0.0', 16] as const, ['224.0.0.0', 3] as const],
])
  special.addSubnet(block, bits, 'ipv4')
for (const [block, bits] of [
  ...[['64:ff9b::', 32] as const, ['2002::', 16] as const, ['2001::', 32] as const],
  ...[['fc00::', 7] as const, ['fe80::', 9] as const, ['ff00::', 8] as const],
])
  special.addSubnet(block, bits, 'ipv6')

/** A host name. Resolvers differ in what they make of any other character. */
const NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/i

/** @param address - a multiaddr. @returns null if it names no host. */
export function originOf(address: string): Origin | null {
  const [, protocol = '', host = ''] = address.replace(/^\/ip6zone\/[^/]*/, '').split('/')
  if (protocol === 'ip4' && isIPv4(host)) return ofIPv4(host)
  if (protocol === 'ip6' && isIPv6(host)) return ofIPv6(host)
  if (!/^dns(4|6|addr)?$/.test(protocol) || !NAME.test(host)) return null
  const literal = literalIn(host)
  if (literal !== null) return ofIPv4(literal)
  const isPrivate = !/\../.test(host) || /\.(local|lan|internal|intranet|home|home\.arpa)\.?$/i.test(host)
  return { host, subnet: host, isLoopback: /(^|\.)localhost\.?$/i.test(host), isPrivate }
}

/**
 * The IPv4 address that a name stands for: resolvers take `127.1` and `0x7f000001` for one as well, as in a URL's host.
 * A number that is not an address counts as 0.0.0.0, since no name ends in one.
 */
function literalIn(host: string): string | null {
  if (!/(^|\.)(\d+|0x[\da-f]*)\.?$/i.test(host)) return null
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '0.0.0.0'
}

function ofIPv4(host: string): Origin {
  const bytes = host.split('.')
  const subnet = `${bytes.slice(0, 3).join('.')}.0/24`
  return { host, subnet, isLoopback: bytes[0] === '127' || bytes[0] === '0', isPrivate: special.check(host, 'ipv4') }
}

function ofIPv6(host: string): Origin {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(host)?.[1]
  if (mapped !== undefined) return ofIPv4(mapped)
  const [head = '', tail] = (host.split('%')[0] ?? '').split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - before.length - after.length)).fill('0')
  const groups = [...before, ...zeros, ...after].map(group => Number.parseInt(group, 16).toString(16))
  const whole = groups.join(':')
  const [, high, low] = /^0:0:0:0:0:ffff:([^:]+):([^:]+)$/.exec(whole) ?? []
  if (high !== undefined && low !== undefined) return ofIPv4([...bytesOf(high), ...bytesOf(low)].join('.'))
  return {
    host: whole,
    subnet: `${groups.slice(0, 3).join(':')}::/48`,
    isLoopback: whole === '0:0:0:0:0:0:0:1' || whole === '0:0:0:0:0:0:0:0',
    isPrivate: special.check(whole, 'ipv6'),
  }
}

/** The two bytes of a group of hex digits. */
function bytesOf(group: string): [number, number] {
  const value = Number.parseInt(group, 16)
  return [value >> 8, value & 255]
}

/** Networks that can be away by themselves: this machine, its own network, and that beyond it. */
export type Reach = 'own' | 'near' | 'beyond'

/** @param ownHosts - of this machine: a peer on it answers at each of them, also at a public one, while all others are away. */
export function reachOf(address: string, ownHosts: ReadonlySet<string>): Reach {
  const origin = originOf(address)
  if (origin === null) return 'beyond'
  if (origin.isLoopback || ownHosts.has(origin.host)) return 'own'
  return origin.isPrivate ? 'near' : 'beyond'
}

/** Whether an address is a name's. Also a connection that was dialled by name has it, so that the name may lead to this machine. */
export const isNamed = (address: string): boolean => address.startsWith('/dns')

/** The hosts of a machine: its interfaces, and what it announces for them. At a relay it has the relay's. */
export function ownHostsOf(announced: readonly string[]): Set<string> {
  const interfaces = Object.values(networkInterfaces()).flatMap(found => found ?? [])
  const own = interfaces.map(({ address, family }) => `/${family === 'IPv4' ? 'ip4' : 'ip6'}/${address}`)
  const direct = announced.filter(address => !isRelayed(address))
  return new Set([...own, ...direct].flatMap(address => originOf(address)?.host ?? []))
}

/** Source of the connections from this machine to a host that is not on loopback alone. */
const BEHIND_PROXY = 'this machine'

/**
 * The source of a connection, among which work and places are shared: its subnet, which costs money, where a peer id costs nothing. Peers behind one
 * relay share a source of their own, and so do those behind a proxy or tunnel on this machine.
 *
 * @param isLocal - whether this host has no address but loopback. Then no proxy brings its peers: a swarm on one machine has all of them there.
 */
export function sourceOf({ peerId, address }: { peerId: string; address: string }, isLocal: () => boolean): string {
  const origin = originOf(address)
  if (isRelayed(address)) return `relayed ${origin?.subnet ?? ''}`
  if (origin?.isLoopback) return isLocal() ? peerId : BEHIND_PROXY
  return origin?.subnet ?? address
}

/** Whether a peer is reached at this multiaddr through a relay, whose host it names. */
export const isRelayed = (address: string): boolean => address.includes('/p2p-circuit')
