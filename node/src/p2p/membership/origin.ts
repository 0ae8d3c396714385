import { isIPv4, isIPv6 } from 'node:net'

/** Where a connection comes from, or an address leads to. */
export type Origin = {
  /** IP address or DNS name. */
  host: string
  /** The block that one operator usually holds: /24 of IPv4, /48 of IPv6. A DNS name stands for itself. */
  subnet: string
  /** This machine: a swarm on one machine has all its peers there. */
  isLoopback: boolean
}

/** @param address - a multiaddr. @returns null where it names no host. */
export function originOf(address: string): Origin | null {
  const [, protocol = '', host = ''] = address.split('/')
  if (protocol === 'ip4' && isIPv4(host)) return ofIPv4(host)
  if (protocol === 'ip6' && isIPv6(host)) return ofIPv6(host)
  if (!/^dns(4|6|addr)?$/.test(protocol) || host === '') return null
  return { host, subnet: host, isLoopback: host === 'localhost' }
}

function ofIPv4(host: string): Origin {
  const bytes = host.split('.')
  return { host, subnet: `${bytes.slice(0, 3).join('.')}.0/24`, isLoopback: bytes[0] === '127' }
}

function ofIPv6(host: string): Origin {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(host)?.[1]
  if (mapped !== undefined) return ofIPv4(mapped)
  const [head = '', tail] = (host.split('%')[0] ?? '').split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - before.length - after.length)).fill('0')
  const groups = [...before, ...zeros, ...after].map(group => Number.parseInt(group, 16).toString(16))
  return {
    host: groups.join(':'),
    subnet: `${groups.slice(0, 3).join(':')}::/48`,
    isLoopback: groups.join(':') === '0:0:0:0:0:0:0:1',
  }
}
